import { createHash } from 'node:crypto'

/** The only style of a report. It is in the file itself, because a report must look the same without the server. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--canvas:#f7f5f0;--surface:#fffefb;--line:#e2ddd1;--ink:#1f1c17;--soft:#57513f;--faint:#6b6452;
--good:#1f6444;--bad:#a52a1c;--warn:#8a5a00;--warn-wash:#fbf0d5;--bad-wash:#fbebe7;--baseline:#1f5fa8;--candidate:#a84305;--mark:#938b7a}
@media (prefers-color-scheme:dark){:root{--canvas:#141311;--surface:#1c1a17;--line:#322f29;--ink:#f0ece3;--soft:#bab3a3;--faint:#9c9484;
--good:#7fd0a5;--bad:#ff9a8c;--warn:#f0c15a;--warn-wash:#33270c;--bad-wash:#361814;--baseline:#5aa2ee;--candidate:#f0883e;--mark:#777062}}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:14px/22px ui-sans-serif,system-ui,"Segoe UI","Liberation Sans",sans-serif}
main{max-width:960px;margin:0 auto;padding:40px 24px 64px}
h1,h2{font-family:Charter,"Source Serif 4","Liberation Serif",Georgia,serif;font-weight:600;overflow-wrap:anywhere}
h1{font-size:34px;line-height:40px;margin:8px 0 12px}
h2{font-size:20px;line-height:28px;margin:40px 0 12px}
h3{font-size:14px;line-height:22px;margin:0 0 4px}
p{margin:0 0 8px;overflow-wrap:anywhere}
p,td,th,dd,pre,h1,h3,li{unicode-bidi:isolate}
.meta{color:var(--faint);font-size:12px;line-height:16px}
.lead{font-size:16px;line-height:24px;color:var(--soft)}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:16px 20px;margin:16px 0}
.good{color:var(--good)}.bad{color:var(--bad)}.faint{color:var(--faint)}
.note{white-space:pre-wrap}
.warning{background:var(--warn-wash);color:var(--warn);border-radius:6px;padding:8px 12px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:24px}
.plots figure{margin:0}figcaption{margin-bottom:8px}
svg{display:block;width:100%;height:auto}
svg text{font-size:12px;fill:var(--soft);font-family:inherit}
svg text.value{fill:var(--ink);font-weight:600}
.axis{stroke:var(--line)}.zero{stroke:var(--ink)}.margin{stroke:var(--candidate);stroke-dasharray:4 3}.beyond{fill:var(--bad-wash)}
.baseline{fill:var(--baseline);stroke:var(--baseline)}.candidate{fill:var(--candidate);stroke:var(--candidate)}
.bar{stroke-width:3}.mark{stroke:var(--surface);stroke-width:2}
svg.glyph{width:140px}
.scroll{overflow-x:auto}.scroll table{min-width:820px}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:20px}
th{text-align:left;font-weight:600;color:var(--faint);font-size:12px}
td,th{padding:8px 12px 8px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
td:first-child,th:first-child{min-width:120px}.wide td:nth-child(2){min-width:130px}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr:last-child td{border-bottom:0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:0}dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/20px ui-sans-serif,system-ui,"Liberation Sans",sans-serif;margin:0 0 8px}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:16px;border-top:1px solid var(--line);padding-top:8px;margin-top:8px}
.sides>div{min-width:0}
footer{margin-top:40px;border-top:1px solid var(--line);padding-top:12px}
@media (max-width:640px){main{padding:24px 16px}h1{font-size:26px;line-height:32px}.sides,dl{grid-template-columns:1fr}dd{margin-bottom:8px}}
@page{size:A4;margin:16mm}
@media print{:root{color-scheme:light;--canvas:#fff;--surface:#fff;--line:#d5cfc0;--ink:#1f1c17;--soft:#57513f;--faint:#6b6452;--good:#1f6444;
--bad:#a52a1c;--warn:#8a5a00;--warn-wash:#fff;--bad-wash:#fbebe7;--baseline:#1f5fa8;--candidate:#a84305}
body{font-size:10pt;line-height:14pt;print-color-adjust:exact}main{max-width:none;padding:0}.card,tr,figure{break-inside:avoid}h2,h3{break-after:avoid}
.scroll{overflow:visible}.scroll table{min-width:0}td:first-child,th:first-child,.wide td:nth-child(2){min-width:0}td,th{padding-right:8px}}
`

/** Allows exactly this style and nothing else: no script, no image, no form, no frame, no request. */
export const REPORT_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(REPORT_STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
