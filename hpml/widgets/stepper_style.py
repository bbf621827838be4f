"""The style sheet of the stepper: what is new is blue, what left a ghost, orange is where we are.

Never by colour alone: the pointer is an arrow, what left is struck through, what is new is bold.
"""

from __future__ import annotations

__all__ = ["STYLE"]

_RULES = """\
& {--new: #2E7FBE; --new-ground: color-mix(in srgb, #2E86C9 22%, var(--film-paper));
 --here-ground: color-mix(in srgb, #E8833A 22%, var(--film-paper));
 --soft: color-mix(in srgb, var(--film-ink) 5%, var(--film-paper));
 --faint: color-mix(in srgb, var(--film-ink) 62%, var(--film-paper));
 --guard: #8E44AD; --bad: #C62828;
 --mono: var(--jp-code-font-family, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
 font-size: 14px; line-height: 1.4;}
& .hpml-film-caption {position: absolute; width: 1px; height: 1px; margin: 0;
 overflow: hidden; clip-path: inset(50%);}
& .says {margin: 0.5em 0 0.7em; padding: 0.5em 0.8em; border-left: 5px solid var(--film-accent);
 background: var(--soft); border-radius: 0 6px 6px 0; font-size: 16px; min-height: 2.8em;
 display: flex; align-items: center;}
& .says[data-on~="bad"] {border-color: var(--bad);
 background: color-mix(in srgb, var(--bad) 10%, var(--film-paper));}
& .says[data-on~="stopped"] {border-color: var(--new);}
& .says b {font-family: var(--mono); font-size: 0.93em; font-weight: 600; border-radius: 4px;
 padding: 0.05em 0.3em; overflow-wrap: anywhere;}
& .says b.op {color: white; background: var(--film-accent);}
& .says b.new {background: var(--new-ground); outline: 1.5px solid var(--new);}
& .says b.gone {text-decoration: line-through; text-decoration-thickness: 1.5px;
 outline: 1.5px dashed var(--film-line);}
& .says b.name {font-weight: 700; padding: 0;}
& .says b.bad {color: white; background: var(--bad);}
& .bench {display: flex; flex-wrap: wrap; gap: 0.6em 1.1em; align-items: flex-start;}
& .panel {min-width: 0;}
& .panel.text {flex: 10 1 18em;}
& .panel.ops {flex: 13 1 23em;}
& .panel.state {flex: 9 1 18em;}
& h4 {font-size: 13px; font-weight: 700; line-height: 22px; margin: 0 0 0.2em; color: inherit;}
& h4 code {font-size: 12.5px; background: none; padding: 0; color: inherit;}
& h4 small, & .values td small {font-weight: 400; color: var(--faint); font-size: 12px;}
& * + h4, & * + .values, & * + .stack {margin-top: 0.8em;}
& .jump {display: none; float: right; font-size: 12px; font-weight: 400;}
& .hpml-film-controls ~ .hpml-film-scene .jump {display: block;}
& .jump select {font: inherit; color: inherit; max-width: 11em; border-radius: 4px;
 background: color-mix(in srgb, var(--film-ink) 7%, var(--film-paper));
 border: 1px solid var(--film-line);}
& .jump option {color: CanvasText; background: Canvas;}
& .jump select:focus-visible {outline: 2px solid var(--film-accent);}
& .source, & .listing, & .values, & .none {display: none;}
& .source[data-on], & .listing[data-on], & .values[data-on], & .none:not([data-part]),
& .none[data-on] {display: block;}
& .source, & .listing .hpml-film-scroll {max-height: 420px; overflow-y: auto;
 border: 1px solid color-mix(in srgb, var(--film-ink) 22%, var(--film-paper));
 border-radius: 6px; background: var(--film-paper);}
& .inner {position: relative; width: max-content; min-width: 100%; font: 12px/22px var(--mono);}
& .line {height: 22px; white-space: pre; font-size: 0; padding-right: 10px; overflow: hidden;}
& .line b {display: inline-block; width: 2.5em; padding-right: 0.8em; text-align: right;
 font: 400 12px/22px var(--mono); color: var(--faint);}
& .line code {font: 12px/22px var(--mono); color: inherit; background: none; padding: 0;}
& .line[data-on] {background: var(--here-ground); box-shadow: inset 4px 0 var(--film-accent);}
& .line[data-on~="bad"] {background: color-mix(in srgb, var(--bad) 18%, var(--film-paper));
 box-shadow: inset 4px 0 var(--bad);}
& .line[data-on] b {color: inherit; font-weight: 700;}
& .line[data-on~="soon"] {background: none;}
& .line[data-go]:hover, & .row[data-go]:hover {outline: 1px solid var(--film-line);
 outline-offset: -1px;}
& .piece {position: absolute; top: calc(var(--r) * 22px + 1px); height: 20px;
 left: calc(3.3em + var(--c) * 1ch - 1px); width: calc(var(--w) * 1ch + 2px);
 border-bottom: 3px solid var(--film-accent); box-sizing: border-box; pointer-events: none;}
& .printed {margin: 0; padding: 0.3em 0.7em; min-height: 22px; white-space: pre-wrap;
 font: 12.5px/20px var(--mono); background: var(--soft); border-radius: 6px; color: inherit;
 overflow-wrap: anywhere;}
& .printed b {background: var(--new-ground);}
& .row {height: 22px; white-space: nowrap; padding-right: 10px; position: relative;
 overflow: hidden;
 padding-left: var(--gutter);}
& .row.first {box-shadow: inset 0 1px color-mix(in srgb, var(--film-ink) 20%, var(--film-paper));}
& .row i {display: inline-block; text-align: right; font-style: normal; color: var(--faint);}
& .row .ln {width: 1.7em; font-size: 11.5px; font-weight: 700; color: inherit;}
& .row .of {width: 1.9em; padding-right: 1.7em;}
& .row .op b {font-weight: 400; color: var(--faint);}
& .row em {font-style: normal; font-weight: 600;}
& .row em.jumps {font-weight: 400; font-style: italic; color: var(--faint);
 font-family: var(--jp-content-font-family, system-ui, sans-serif);}
& .row.gap {color: var(--faint); font-style: italic; padding-left: calc(var(--gutter) + 3em);}
& .row[data-on~="at"] {background: var(--here-ground);}
& .row:is([data-on~="at"], [data-on~="bad"]) .op {font-weight: 700;}
& .row[data-on] .op::before {content: "";
 position: absolute; margin-left: -1.6em; margin-top: 5px; width: 15px; height: 12px;
 background: var(--film-accent); clip-path: polygon(0 32%, 55% 32%, 55% 0, 100% 50%, 55% 100%,
 55% 68%, 0 68%);}
& .row[data-on~="bad"] {background: color-mix(in srgb, var(--bad) 18%, var(--film-paper));}
& .row[data-on~="bad"] .op::before {background: var(--bad);}
& .row[data-on~="soon"] .op::before {opacity: 0.45;}
& .row[data-on="next"] .op::before {opacity: 0.45;}
& .row[data-on~="next"] {outline: 1.5px dashed var(--film-accent); outline-offset: -2px;}
& .arcs {position: absolute; left: 0; top: 0; width: auto; max-width: none; z-index: 1;
 pointer-events: none;}
& .arcs path {fill: none; stroke: var(--film-line); stroke-width: 1.3;}
& .arcs path.tip {fill: var(--film-line); stroke: none;}
& .arcs [data-on] path {stroke: var(--film-accent); stroke-width: 2.6;}
& .arcs [data-on] path.tip {fill: var(--film-accent); stroke: none;}
& .arcs .guarded {display: none;}
& .arcs .guarded[data-on] {display: inline;}
& .arcs .guarded path {stroke: var(--guard); stroke-width: 2; stroke-linejoin: round;}
& .arcs .guarded path.tip {fill: var(--guard); stroke: none;}
& .arcs .guarded[data-on~="thrown"] path {stroke: var(--bad); stroke-width: 3;}
& .arcs .guarded[data-on~="thrown"] path.tip {fill: var(--bad); stroke: none;}
& .guard {margin: 0.4em 0 0; font-size: 12.5px; min-height: 2.8em; color: var(--faint);
 border-left: 3px solid color-mix(in srgb, var(--film-ink) 20%, var(--film-paper));
 padding-left: 0.6em;}
& .guard[data-on] {border-color: var(--guard); color: inherit;}
& .calls {list-style: none; margin: 0; padding: 0; min-height: calc(var(--rows) * 23px);
 font-size: 12.5px; display: flex; flex-direction: column; justify-content: flex-end;}
& .calls li {line-height: 21px; margin: 1px 0 0; padding: 0 0.6em; background: var(--soft);
 border-radius: 4px; color: var(--faint); white-space: nowrap; overflow: hidden;
 text-overflow: ellipsis;}
& .calls li:first-child {background: var(--here-ground); color: inherit;}
& .level, & .floor {display: grid; grid-template-columns: 26px minmax(0, 2.2fr) minmax(0, 1fr);
 gap: 0 7px; align-items: stretch;}
& .level {font: 12px/22px var(--mono); margin: 0 0 4px; height: 28px;}
& .level i {font: italic 12px/28px var(--jp-content-font-family, system-ui, sans-serif);
 color: var(--faint); text-align: right;}
& .level[data-on~="top"] i::before {content: "top";}
& .level span {padding: 1px 4px; border-radius: 5px; text-align: center; box-sizing: border-box;
 border: 2px solid transparent; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;}
& .level[data-on~="full"] .kept {border-color: var(--film-line); background: var(--soft);}
& .level[data-on~="new"] .kept {border-color: var(--new); font-weight: 700;
 background: var(--new-ground);}
& .level[data-on~="null"] .kept {border-style: dashed; color: var(--faint); font-weight: 400;}
& .level[data-on~="void"] .kept {color: var(--faint); font-style: italic;
 font-family: var(--jp-content-font-family, system-ui, sans-serif);}
& .level[data-on~="went"] .gone {border: 1.5px dashed var(--film-line); color: var(--faint);
 text-decoration: line-through; text-decoration-thickness: 1.5px;}
& .floor {margin: 0; font-size: 12px; color: var(--faint); text-align: center;}
& .floor span:nth-of-type(1) {border-top: 4px solid var(--film-ink); color: inherit;}
& .floor span:nth-of-type(2) {border-top: 1px dashed var(--film-line);}
& .below, & .above {margin: 0 0 3px 33px; font-size: 12px; min-height: 17px; color: var(--faint);}
& .above {text-align: right;}
& .values .hpml-film-scroll {max-height: 330px; overflow-y: auto;}
& .values table {width: 100%; margin: 0; border-collapse: separate; border-spacing: 0 2px;
 font: 12.5px/20px var(--mono); table-layout: auto; border: none; color: inherit;}
& .values table th {font: 400 12px/16px var(--jp-content-font-family, system-ui, sans-serif);
 text-align: left; padding: 0 8px; background: none; border: none; color: var(--faint);}
& .values table tbody tr {background: none;}
& .values table td {text-align: left; padding: 2px 8px; border: none; background: var(--soft);
 vertical-align: top; overflow-wrap: anywhere; white-space: normal;}
& .values table td:first-child {width: 2.5em; color: var(--faint); border-radius: 5px 0 0 5px;}
& .values table td:nth-child(2) {width: 1px; white-space: nowrap; font-weight: 600;}
& .values table td:last-child {border-radius: 0 5px 5px 0;}
& .values table tr[data-on~="read"] td {background: var(--here-ground);}
& .values table tr[data-on~="written"] td {background: var(--new-ground); font-weight: 700;}
& .none {margin: 0; font-size: 12.5px; color: var(--faint);}
@media print {& .hpml-film-scene .jump {display: none !important;}}
"""

STYLE = _RULES.replace("& {", ".hpml-film.stepper {").replace("& ", ".hpml-film.stepper ")
