// The style sheet of a report.
#pragma once

namespace perdure::cli {

inline constexpr const char* report_style = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#5b6675;--line:#dfe3e8;--accent:#1f5fa8;
--slab:#2f6fb7;--large:#c9772b;--free:#e3e7ec;--good:#1e7b46;--bad:#b3261e;--warn:#8a5a00;--second:#c0392b}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1a2029;--ink:#e6eaf0;--soft:#9aa6b5;--line:#2e3744;
--accent:#7fb2ee;--slab:#5b9be6;--large:#e39a52;--free:#2a323d;--good:#5cc48a;--bad:#ff8a80;--warn:#e0b050;--second:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,header,footer,nav ul{max-width:1100px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:19px;margin:0 0 12px}
h3{font-size:15px;margin:18px 0 6px}
p{margin:0 0 10px;max-width:75ch}
.soft,small,caption,figcaption{color:var(--soft)}
.path{overflow-wrap:anywhere}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
a{color:var(--accent)}
a:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-9999px}
.skip:focus{left:8px;top:8px;background:var(--card);padding:6px 10px}
nav{margin:16px 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line);background:var(--card)}
nav ul{display:flex;flex-wrap:wrap;gap:2px 20px;list-style:none;padding-top:8px;padding-bottom:8px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;margin:18px 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.tile b{display:block;font-size:22px;line-height:1.25;font-weight:600}
.tile span{display:block;color:var(--soft);font-size:13px}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:18px 20px;margin:0 0 16px}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 6px}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;font-size:13px;color:var(--soft);white-space:nowrap}
tbody tr:last-child td,tbody tr:last-child th{border-bottom:0}
tbody th{color:var(--ink);font-size:inherit;white-space:normal;overflow-wrap:anywhere;min-width:12em}
tbody th.n{min-width:0}th small{font-weight:400}
td.type{overflow-wrap:anywhere;min-width:9em}
.n{text-align:right;white-space:nowrap}
.n+th:not(.n),.n+td:not(.n){padding-left:14px}
.when{white-space:nowrap}.tile span .when{display:inline}
.wide+p{margin-top:10px}
.n i{display:inline-block;min-width:2.4em;text-align:left;padding-left:.3em;font-style:normal;color:var(--soft);font-size:13px}
.share{min-width:110px}
.share svg{display:inline-block;width:60px;height:9px;vertical-align:middle;background:var(--free);border-radius:2px}
.share span{display:inline-block;width:4.6em;text-align:right}
.share rect{fill:var(--slab)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0;align-content:start}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:0 0 14px}
figcaption{font-size:13px;display:flex;justify-content:space-between;gap:12px;flex-wrap:wrap}
svg{display:block;width:100%}
svg.bars,svg.area{height:84px;border-bottom:1px solid var(--line)}
svg.bars path{fill:var(--slab)}svg.area path{fill:var(--slab);fill-opacity:.35}
svg.divided{height:18px;border-radius:3px}
svg.bars.hist{height:30px;width:130px;border-bottom:1px solid var(--line)}
.histogram{min-width:200px}
.histogram .ends{display:flex;justify-content:space-between;gap:8px;width:130px;font-size:12px;color:var(--soft)}
.used,.s1,.s2,.s3,.s4{fill:var(--slab)}.l1,.l2,.l3,.l4{fill:var(--large)}.f,.free{fill:var(--free)}.book{fill:var(--soft)}
.s1,.l1{fill-opacity:.3}.s2,.l2{fill-opacity:.5}.s3,.l3{fill-opacity:.75}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:8px 0 14px;padding:0;font-size:13px}
.legend svg{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px}
svg.plot{max-width:600px;font-size:14px}
svg.plot text{fill:var(--soft)}.grid{stroke:var(--line);fill:none}
.dots{fill:none;stroke:var(--slab);stroke-width:6;stroke-linecap:round}.dots.second{stroke:var(--second);stroke-width:4.5}
.dot{fill:var(--slab)}.dot.second{fill:var(--second)}
.graph{display:grid;grid-template-columns:minmax(240px,1fr) 2fr;gap:20px;margin-bottom:10px}
ul.problems{margin:0 0 10px;padding-left:20px}
footer{padding-top:8px;padding-bottom:28px;color:var(--soft);font-size:13px}
@media (max-width:700px){
main,header,footer,nav ul{padding-left:12px;padding-right:12px}
section{padding:14px 12px}
h1{font-size:23px}
.tiles{grid-template-columns:1fr 1fr}.tile:first-child{grid-column:1/-1}
.histogram .ends,svg.bars.hist{margin-left:auto}
.tile b{font-size:18px}
.graph{grid-template-columns:1fr}
dl{grid-template-columns:1fr}dd{margin-bottom:6px}
table.rows thead{position:absolute;left:-9999px}
table.rows,table.rows tbody,table.rows tr{display:block}
table.rows tr{padding:8px 0;border-bottom:1px solid var(--line)}
table.rows tr:last-child{border-bottom:0}
table.rows th,table.rows td{display:flex;justify-content:space-between;gap:14px;border:0;padding:1px 0;text-align:right;min-width:0}
table.rows th{justify-content:flex-start;text-align:left}
table.rows td:not(.n),table.rows th:not(.n){padding-left:0}
table.rows td::before{content:attr(data-label);color:var(--soft);font-size:13px;text-align:left;white-space:nowrap}
table.rows td:empty{display:none}
table.rows td.mono::before{font-family:system-ui,sans-serif}
.n i{min-width:0}
table:not(.rows){font-size:13px}table:not(.rows) thead th{white-space:normal}
table:not(.rows) .share{min-width:0}table:not(.rows) .share svg{display:none}table:not(.rows) .share span{width:auto}
}
@media print{
:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#1f5fa8;--slab:#2f6fb7;--large:#c9772b;--free:#e3e7ec;--good:#1e7b46;--bad:#b3261e;--second:#c0392b}
body{font-size:11px}nav,.skip{display:none}
section,.tile{border-color:#bbb;break-inside:auto}tr,figure,.graph{break-inside:avoid}
svg,.tile{print-color-adjust:exact;-webkit-print-color-adjust:exact}
main,header,footer{max-width:none}
}
)css";

}  // namespace perdure::cli
