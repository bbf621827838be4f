"""What grading came to: points on disk, for a student, for an instructor, for a platform."""

from __future__ import annotations
