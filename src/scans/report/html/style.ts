/** Report styles. On paper, cards are ordered to fill pages, and only calendars are split. */
export const STYLE = `:root{--paper:#f6f6f3;--card:#fff;--ink:#16181d;--soft:#5a606b;--line:#e4e4df;--accent:#2f5bea;--accent-soft:#dfe6fd;--part:#9db3f6;--before:#b3541e;--up:#17703a;--down:#b3261e;--s1:#edf1fe;--s2:#d5dffc;--s3:#b6c6fa;--s4:#8fa8f6;--s5:#2f5bea;--on5:#fff}
@media screen and (prefers-color-scheme:dark){:root{--paper:#101216;--card:#191c22;--ink:#eceef2;--soft:#a2a9b6;--line:#2b2f38;--accent:#84a0ff;--accent-soft:#252d47;--part:#4c5f9e;--before:#f0a36b;--up:#6fd08f;--down:#ff8f86;--s1:#1f2638;--s2:#28345a;--s3:#32437c;--s4:#3e559f;--s5:#84a0ff;--on5:#0d1020}.logo{background:#fff;padding:8px 10px;border-radius:10px}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
header.top,main,footer{max-width:1160px;margin:0 auto;padding:0 clamp(16px,4vw,40px)}
header.top{padding-top:clamp(28px,6vw,64px);padding-bottom:24px}
.kicker{margin:0 0 6px;font-size:13px;font-weight:600;letter-spacing:.09em;text-transform:uppercase;color:var(--accent)}
h1,.value.words{text-wrap:balance}
h1{margin:0;font-size:clamp(28px,5vw,46px);line-height:1.1;letter-spacing:-.02em;overflow-wrap:anywhere;hyphens:auto}
body:lang(ja){font-family:system-ui,-apple-system,"Hiragino Sans","Hiragino Kaku Gothic ProN","Yu Gothic UI","Yu Gothic",Meiryo,"Noto Sans JP","Noto Sans CJK JP",sans-serif;line-height:1.65;word-break:auto-phrase}
body:lang(ar){font-family:system-ui,-apple-system,"Segoe UI","Geeza Pro","Noto Sans Arabic","Noto Kufi Arabic",Tahoma,Arial,sans-serif;line-height:1.65}
[dir=rtl] *{letter-spacing:0!important}
.logo{display:block;width:auto;height:auto;max-width:min(240px,60%);max-height:64px;margin:0 0 24px}
.sender{margin:14px 0 0;max-width:46em}
.range{margin:12px 0 0;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:14px}.tiles:has(:nth-child(6)){grid-template-columns:repeat(3,minmax(0,1fr))}
.tile,.card{background:var(--card);border:1px solid var(--line);border-radius:14px}
.tile{padding:16px 18px;container-type:inline-size}
.tile p{margin:0}
.label,.detail,.compared,.legend,.note,footer{font-size:13px;color:var(--soft)}
.tile .value{font-size:clamp(24px,3.4vw,34px);font-weight:650;letter-spacing:-.02em;line-height:1.25;overflow-wrap:anywhere}
.tile .value.words{font-size:clamp(13px,12cqi,21px);line-height:1.3;padding-block:3px}
.tile .detail{min-height:20px}
.badge{font-weight:650}.up{color:var(--up)}.down{color:var(--down)}.even{color:var(--soft)}
.compared{margin:12px 2px 0}
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:14px;margin-top:14px}
.card{padding:22px 24px;min-width:0}
.card.wide{grid-column:1/-1}
h2{margin:0 0 14px;font-size:18px;letter-spacing:-.01em}
.plot{display:grid;grid-template-columns:44px minmax(0,1fr);column-gap:10px}.plot svg{display:block;overflow:visible}
.column{fill:var(--accent)}.column.part{fill:var(--part)}.bar rect{fill:var(--accent-soft)}
.before{fill:none;stroke:var(--before);stroke-width:2;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.rule{stroke:var(--line)}.base{stroke:var(--soft)}
.axis{fill:var(--soft);font-size:12px}
.legend{margin:6px 0 0}
.key{display:inline-block;width:12px;height:12px;border-radius:3px;margin:0;margin-inline-end:6px;vertical-align:-1px;background:var(--accent)}
.key.then{height:3px;border-radius:2px;margin-inline:14px 6px;vertical-align:4px;background:var(--before)}
.fit{container-type:inline-size}table{width:100%;border-collapse:collapse;font-size:14px}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:6px 0;padding-inline-start:12px;text-align:right;font-weight:400;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;font-size:12px;color:var(--soft);padding-top:0;vertical-align:bottom}
th:first-child{padding-inline-start:0;text-align:start}
.average{display:block;font-size:12px;font-weight:400;color:var(--soft)}
th:first-child{white-space:normal}.long{overflow-wrap:anywhere;hyphens:auto}
.bar{position:relative;z-index:0;width:100%;padding-inline:8px!important}.bar svg{position:absolute;z-index:-1;inset:2px 0;width:100%;height:calc(100% - 4px)}[dir=rtl] .bar svg{transform:scaleX(-1)}
tbody td.scans{font-weight:600}td.up,td.down{white-space:normal;min-width:4.2em}
th.dim{color:var(--soft);font-style:italic}
@media screen{.card:not(.wide) .figures{font-size:13px}@container (max-width:385px){.stacked tr{display:grid;grid-template-columns:1fr 1.15fr 1fr 1.25fr}.stacked :is(th,td){min-width:0;padding-inline-start:4px}.stacked thead :is(th,.average){font-size:11px}.stacked th:first-child{grid-column:1/-1}.stacked td,.stacked thead th:nth-child(n+2){border-top:0;padding-top:0}}}
.columns{display:grid;align-items:start;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:16px 36px;margin-top:14px}
.shades{margin-top:18px;table-layout:fixed;border-spacing:3px;border-collapse:separate}
.shades th,.shades td{border:0;padding:7px 2px;text-align:center;font-size:13px}
.shades th:first-child{text-align:start;width:6.4em;color:var(--soft);white-space:nowrap}
.shades td{border-radius:6px}
.hours td{padding-block:3px}
.shade0{background:transparent;color:var(--soft)}.shade1{background:var(--s1)}.shade2{background:var(--s2)}.shade3{background:var(--s3)}.shade4{background:var(--s4)}.shade5{background:var(--s5);color:var(--on5);font-weight:600}
.note{margin:10px 0 0}
.slug{font-size:.86em;color:var(--soft);display:inline-block;max-width:100%;overflow-wrap:anywhere}
.silent{margin:0;padding:0;columns:3 220px;column-gap:28px;font-size:14px}.silent li{margin-inline-start:1.2em;break-inside:avoid}
footer{padding-top:28px;padding-bottom:48px}
footer p{margin:0 0 6px}
@media (min-width:1180px){.tiles:has(:nth-child(6)){grid-template-columns:repeat(6,minmax(0,1fr))}}
@media (max-width:980px){.grid{grid-template-columns:minmax(0,1fr)}}
@media (max-width:760px){.card{padding:18px 16px}th,td{padding-inline-start:8px}.tiles,.tiles:has(:nth-child(6)){grid-template-columns:repeat(2,minmax(0,1fr));gap:10px}.shades{border-spacing:2px}.shades th:first-child{width:5.9em;font-size:11px}.shades th,.shades td{font-size:11px;padding:7px 0}}
@media (max-width:460px){.between{display:none}}
@page{size:A4;margin:14mm 12mm}
@media print{:root{--paper:#fff;--soft:#50565f;--line:#d9d9d4}
body{font-size:12px;-webkit-print-color-adjust:exact;print-color-adjust:exact}header.top{padding-top:0}header.top,main,footer{max-width:none;padding-inline:0}
.grid{grid-template-columns:repeat(2,minmax(0,1fr))}.columns{grid-template-columns:repeat(3,minmax(0,1fr));gap:0 18px}.columns th,.columns td{padding-inline-start:4px;font-size:10px}.columns th:first-child{padding-inline-start:0;min-width:0}.columns thead th{font-size:9px}.columns td{min-width:0!important}.tiles{grid-template-columns:repeat(4,minmax(0,1fr))}.tiles:has(:nth-child(6)){grid-template-columns:repeat(3,minmax(0,1fr))}.card{padding:10px 14px}table{font-size:11px;line-height:1.2}.average{font-size:9.5px;line-height:1.15}.hours td,.hours th:first-child{padding-block:.5px!important}th,td{padding-block:1px}h2{break-after:avoid}footer{padding-top:18px;padding-bottom:0;break-inside:avoid}
.card,.tile,.plot,.columns,tr{break-inside:avoid}.card:has(.calendar){break-inside:auto;-webkit-box-decoration-break:clone;box-decoration-break:clone}.grid{gap:9px;margin-top:9px}h2{margin-bottom:6px;font-size:15px}.note{margin-top:6px;font-size:11px}
.tile .detail{font-size:11px}[aria-labelledby=by-day]{order:-9}[aria-labelledby=by-device],[aria-labelledby=by-os]{order:-8}[aria-labelledby=by-code]{order:-7}[aria-labelledby=by-referrer]{order:-6}[aria-labelledby=by-country],[aria-labelledby=by-city]{order:-5}[aria-labelledby=by-hour]{order:-4}[aria-labelledby=hours]{order:1}[aria-labelledby=silent]{order:2}.shades{margin-top:10px;border-spacing:2px}.shades th,.shades td{padding:2px;font-size:10px}.columns th,.columns td{padding-top:2px;padding-bottom:2px}}`;
