"""The seven faults fixed, as fragments of a script: the key to the capstone, for tests only."""

from __future__ import annotations

from hpml.course.labs.lab_15_capstone.scripts import FAULTS, script

NETWORK: dict[str, dict[str, str]] = {
    "loop": {
        "standardise": """
            mean = batch.mean(dim=1, keepdim=True)
            return (batch - mean) / batch.std(dim=1, keepdim=True)
        """
    },
    "reading": {
        "report": """
            score = outputs.gather(1, targets[:, None]).mean()
            $steps.append(torch.stack([each.mean(), each.max(), score]).detach())
        """,
        "result": "[tuple(step) for step in torch.stack($steps).tolist()]",
    },
    "table": {"ready": 'self.register_buffer("table", cosines(length, self.first.weight.dtype))'},
    "dtype": {"types": ""},
    "activation": {"swish": "return F.silu(x)"},
    "loader": {
        "imports": "",
        "dataset": "",
        "batches": """
            for rows in order.split(batch_size):
                yield signals[rows], labels[rows]
        """,
    },
    "graph": {
        "gradients": "gradients = torch.autograd.grad(loss, $weights)",
        "keep": "$kept.append(loss.detach())",
    },
}

TRANSFORMER: dict[str, dict[str, str]] = {
    "loop": {
        "patches": """
            mean = batch.mean(dim=1, keepdim=True)
            return ((batch - mean) / batch.std(dim=1, keepdim=True)).unflatten(1, (-1, PATCH))
        """
    },
    "reading": NETWORK["reading"],
    "table": {},
    "dtype": {"types": ""},
    "activation": {
        "gelu": "return F.gelu(x)",
        "attention": "return F.scaled_dot_product_attention(queries, keys, values)",
    },
    "loader": {"batches": NETWORK["loader"]["batches"]},
    "graph": {
        "gradients": "loss.backward()",
        "start": "$kept: list[torch.Tensor] = []",
        "keep": "$kept.append(loss.detach())",
        "mean": "sum($kept).item() / len($kept)",
    },
}
FIXED = {"network": NETWORK, "transformer": TRANSFORMER}


def fixed(seed: int, faults: tuple[str, ...] = FAULTS, kind: str = "network") -> str:
    """Return the script of a seed with some of its faults fixed."""
    fragments: dict[str, str] = {}
    for fault in faults:
        fragments |= FIXED[kind][fault]
    text = script(seed, fragments, kind)
    if "table" in faults:
        for made in ("self.transform(signals)", "cosines(signals.shape[1], signals.dtype)"):
            text = text.replace(f"@ {made}", "@ self.table")
        text = text.replace("def positions", "@functools.cache\ndef positions")
        if "functools" in text:
            text = text.replace("import math", "import functools\nimport math")
    return text
