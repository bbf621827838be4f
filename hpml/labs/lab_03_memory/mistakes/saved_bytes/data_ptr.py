"""A tensor without numbers has no address: on the device `meta`, `data_ptr()` is 0 for all of them.
`id(tensor)` tells them apart, as long as they are kept."""

LIKE = "counts_parameters"
CHANGES = {
    "kept[id(x)] = x": "kept[x.data_ptr()] = x",
    "kept[id(saved)] = saved": "kept[saved.data_ptr()] = saved",
    " + parameters": "",
}
