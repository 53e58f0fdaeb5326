import { escape, STYLE } from './docs-page.ts'

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
