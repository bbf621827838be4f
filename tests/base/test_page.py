from __future__ import annotations

import io

from hpml.base.page import picture, say


def test_prose_has_paragraphs_code_and_bold_and_no_html_of_its_own() -> None:
    page = say("One **bold** `a < b` line\nwrapped.\n\nSecond & last <script>.")
    assert page.html == (
        "<p>One <b>bold</b> <code>a &lt; b</code> line wrapped.</p>"
        "<p>Second &amp; last &lt;script&gt;.</p>"
    )
    assert page.plain == "One bold `a < b` line wrapped.\n\nSecond & last <script>."


def test_a_picture_is_closed_has_a_text_and_an_opaque_ground() -> None:
    from matplotlib import pyplot
    from matplotlib.image import imread

    figure = pyplot.figure()
    page = picture(figure, 'Two "lines".', "<p>after</p>")
    assert not pyplot.fignum_exists(figure.number)
    assert 'alt="Two &quot;lines&quot;."' in page.html
    assert page.html.endswith("<p>after</p>")
    pixels = imread(io.BytesIO(page.png or b""))
    assert pixels.shape[2] == 3 or pixels[..., 3].min() == 1.0
