const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e9, #242d3a); --dim: light-dark(#5b6676, #8d98a8); --accent: light-dark(#1f66d6, #5b9dff); --raised: light-dark(#f6f7f9, #12171f) }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 960px; padding: 24px 16px; background: light-dark(#fff, #0d1117); color: light-dark(#18202b, #e4e8ee) }
h1 { font-size: 20px } h2 { font-size: 15px; margin: 32px 0 8px } a { color: var(--accent) }
details { border-top: 1px solid var(--line) } summary { padding: 8px 0; cursor: pointer; display: flex; flex-wrap: wrap; gap: 4px 12px }
code, pre { font: 12px/1.5 ui-monospace, monospace } pre { background: var(--raised); padding: 12px; overflow: auto; white-space: pre-wrap }
.method { font-weight: 600; min-width: 56px } .access { color: var(--dim); margin-left: auto } p, li, h3 { margin: 8px 0; font-size: 13px } h3 { color: var(--dim) } ul { padding-left: 20px }
`

/**
 * A file of `docs/` as a page without scripts. It knows the Markdown that those files use: headings, paragraphs, lists,
 * code, links and bold text. Links to other files become their names, because only this file is served.
 */
export function writeGuidePage(markdown: string): string {
  const blocks = markdown.trim().split(/^(```\w*\n[^]*?^```)$|\n{2,}/m)
  const body = blocks.filter((block) => block !== undefined && block.trim() !== '').map(writeBlock)
  const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? []
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} | Muster</title><style>${STYLE}</style>
<main>${body.join('\n')}</main></html>`
}

function writeBlock(block: string): string {
  const text = block.trim()
  const [, code] = /^```\w*\n([^]*)\n```$/.exec(text) ?? []
  if (code !== undefined) return `<pre>${escape(code)}</pre>`
  const [, marks, heading = ''] = /^(#{1,3}) (.+)$/.exec(text) ?? []
  if (marks !== undefined) return `<h${marks.length}>${writeLine(heading)}</h${marks.length}>`
  if (!text.startsWith('- ')) return `<p>${writeLine(text)}</p>`
  const items = text.slice(2).split('\n- ')
  return `<ul>${items.map((item) => `<li>${writeLine(item)}</li>`).join('')}</ul>`
}

function writeLine(text: string): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replaceAll(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
