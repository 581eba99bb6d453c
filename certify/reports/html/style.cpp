#include "certify/reports/html/style.hpp"

#include "certify/pictures/hue.hpp"

namespace attest {
namespace {

constexpr const char* rules = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .75rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
p{margin:.6rem 0;max-width:46rem}
.verdict{border-left:.4rem solid currentColor;background:var(--sheet);padding:.75rem 1rem;margin:1rem 0}
.verdict p{color:var(--ink);margin:.25rem 0}
.verdict .word{font-size:1.15rem;font-weight:600}
figure{margin:1.5rem 0}
figcaption{font-weight:600;margin-bottom:.35rem}
figure p{color:var(--soft);font-size:.9rem}
svg{display:block;width:100%;height:auto;font-family:inherit;font-size:13px;color:var(--ink)}
svg text{fill:var(--ink)}
svg .grid{stroke:var(--line)}
svg .frame{stroke:var(--soft);fill:none}
svg .on-hue{fill:var(--paper)}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
caption{text-align:left;font-weight:600;padding-bottom:.4rem}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{border-bottom:2px solid var(--soft);vertical-align:bottom}
tbody th{font-weight:400}
.number{text-align:right}
td.number{white-space:nowrap}
td.wide{overflow-wrap:anywhere;min-width:16rem}
th button{font:inherit;font-weight:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
th button::after{content:"\a0\2195";color:var(--soft)}
th[aria-sort=ascending] button::after{content:"\a0\2191";color:inherit}
th[aria-sort=descending] button::after{content:"\a0\2193";color:inherit}
th button:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
.whole{white-space:nowrap}
.note{color:var(--soft);font-size:.9rem}
code,pre{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.88rem}
code{overflow-wrap:anywhere}
pre{background:var(--sheet);padding:.6rem .8rem;white-space:pre-wrap;overflow-wrap:anywhere}
footer{color:var(--soft);font-size:.9rem;padding-top:2rem;padding-bottom:3rem}
@media print{
body{font-size:10pt}
main,header,footer{max-width:none;padding-left:0;padding-right:0}
h2{break-after:avoid}
figure,.verdict,pre,tr{break-inside:avoid}
svg{max-height:85mm;width:auto;max-width:100%;margin:0 auto}
table{font-size:7.5pt}
th,td{padding-right:.9em}
thead{display:table-header-group;break-inside:avoid}
caption{break-inside:avoid;break-after:avoid;white-space:nowrap}
thead{break-before:avoid;break-after:avoid}
table:not(:has(tbody tr:nth-child(25))){break-inside:avoid}
.scroll{overflow:visible}
th button{display:contents}
tbody tr:nth-child(n+61){display:none}
table:has(tbody tr:nth-child(61)) caption::after{content:": the first 60 rows; screen and JSON have more"}
th button::after{content:none}
@page{margin:18mm 15mm}
}
)";

std::string variables(bool dark) {
  std::string text = dark ? "--paper:#15181c;--sheet:#1f242a;--ink:#e6e8ea;--soft:#a7adb4;--line:#3a4149"
                          : "--paper:#fff;--sheet:#f4f5f7;--ink:#1a1d21;--soft:#565d66;--line:#d5d9de";
  for (const Hue hue : every_hue)
    text += std::string(";--") + name(hue) + ":" + (dark ? on_dark(hue) : on_light(hue));
  return text;
}

}  // namespace

std::string page_style() {
  std::string text = ":root{color-scheme:light dark;" + variables(false) +
                     "}\n@media screen and (prefers-color-scheme:dark){:root{" + variables(true) + "}}\n";
  for (const Hue hue : every_hue) text += std::string(".") + name(hue) + "{color:var(--" + name(hue) + ")}\n";
  return text + rules;
}

const char* const page_script = R"(
(function () {
  "use strict";
  function key(row, column) {
    var cell = row.cells[column], order = cell.getAttribute("data-order");
    return order === null ? cell.textContent : Number(order);
  }
  function compare(a, b) {
    if (typeof a === "number" ? typeof b === "number" : false) return a - b;
    return String(a).localeCompare(String(b), undefined, {numeric: true});
  }
  function sort(table, column) {
    var headings = table.tHead.rows[0].cells, heading = headings[column], body = table.tBodies[0];
    var down = heading.getAttribute("aria-sort") === "ascending";
    Array.prototype.forEach.call(headings, function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    Array.prototype.map.call(body.rows, function (row) { return {row: row, key: key(row, column)}; })
      .sort(function (a, b) { return down ? compare(b.key, a.key) : compare(a.key, b.key); })
      .forEach(function (one) { body.appendChild(one.row); });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (heading, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      button.textContent = heading.textContent;
      button.addEventListener("click", function () { sort(table, column); });
      heading.textContent = "";
      heading.appendChild(button);
    });
  });
})();
)";

}  // namespace attest
