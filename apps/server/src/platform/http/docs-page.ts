import type { z } from 'zod'
import { type DescribedRoute, groupOf, schemaOf } from './openapi.ts'

export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e9, #242d3a); --dim: light-dark(#5b6676, #8d98a8); --accent: light-dark(#1f66d6, #5b9dff); --raised: light-dark(#f6f7f9, #12171f) }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 960px; padding: 24px 16px; background: light-dark(#fff, #0d1117); color: light-dark(#18202b, #e4e8ee) }
h1 { font-size: 20px } h2 { font-size: 15px; margin: 32px 0 8px } a { color: var(--accent) }
details { border-top: 1px solid var(--line) } summary { padding: 8px 0; cursor: pointer; display: flex; flex-wrap: wrap; gap: 4px 12px }
code, pre { font: 12px/1.5 ui-monospace, monospace } pre { background: var(--raised); padding: 12px; overflow: auto; white-space: pre-wrap }
.method { font-weight: 600; min-width: 56px } .access { color: var(--dim); margin-left: auto } p, li, h3 { margin: 8px 0; font-size: 13px } h3 { color: var(--dim) } ul { padding-left: 20px }
`

/** The API description as one page without scripts. */
export function writeDocsPage(routes: readonly DescribedRoute[], version: string): string {
  const groups = Map.groupBy(routes, (route) => groupOf(route.path))
  const sections = [...groups].map(
    ([name, members]) => `<h2 id="${escape(name)}">${escape(name)}</h2>${members.map(writeRoute).join('')}`,
  )
  const links = [...groups.keys()].map((name) => `<a href="#${escape(name)}">${escape(name)}</a>`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Muster API</title><style>${STYLE}</style>
<main><h1>Muster API ${escape(version)}</h1>
<p>JSON over HTTP. Programs send an API key as header <code>X-API-KEY</code> (or <code>Authorization: Bearer &lt;key&gt;</code>), without cookies; create one in the console under Settings, API keys. With <code>X-Muster-Shape: own</code> they get the responses described here; without it, some have the shape that existing programs expect. Keys cannot change users, passwords or keys, nor open sockets. With a session: sign in with <code>POST /v2/checkcreds/</code> and <code>POST /v2/login/</code>; send <code>Authorization: Token &lt;token&gt;</code> with the cookie that they set, and the value of the cookie <code>muster-xsrf</code> (with HTTPS <code>__Host-muster-xsrf</code>; <code>XSRF-TOKEN</code> has one too) as header <code>X-XSRF-TOKEN</code> on everything but GET. An <code>Idempotency-Key</code> header makes a write happen once. The same as a file: <a href="/openapi.json">openapi.json</a>.</p>
<nav aria-label="Groups"><p>${links.join(' · ')}</p></nav>${sections.join('')}</main></html>`
}

function writeRoute({ method, path, endpoint, summary }: DescribedRoute): string {
  const access = endpoint?.access ?? ''
  const parts = [
    writeSchema('In the address', endpoint?.params, 'input'),
    writeSchema('Query', endpoint?.query, 'input'),
    writeSchema('Body', endpoint?.body, 'input'),
    writeSchema(
      endpoint?.paged === true ? 'Response (with ?page= one page of it)' : 'Answer',
      endpoint?.response,
      'output',
    ),
  ]
  return `<details><summary><span class="method">${escape(method)}</span><code>${escape(path)}</code><span class="access">${escape(access)}</span></summary><p>${escape(endpoint?.summary ?? summary ?? '')}</p>${parts.join('')}</details>`
}

function writeSchema(title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string {
  if (schema === undefined) return ''
  return `<h3>${escape(title)}</h3><pre>${escape(writeType(schemaOf(schema, io), ''))}</pre>`
}

interface JsonSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
}

/** Formats a schema like a TypeScript type, which is faster to read. */
function writeType(schema: JsonSchema, indent: string): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((choice) => writeType(choice, indent)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.items !== undefined) return `[${writeType(schema.items, indent)}, ...]`
  if (schema.properties !== undefined) {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties).map(([name, value]) => {
      const mark = schema.required?.includes(name) === true ? '' : '?'
      return `${inner}${name}${mark}: ${writeType(value, inner)}`
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }
  return schema.type ?? 'any'
}

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
