import type { Plugin } from 'vite'

const CALLS = /^@muster\/contract\/calls\//

/**
 * `@muster/contract/calls/agents` is `@muster/contract/api/agents` whose endpoints have no schemas: types are checked as
 * ever, and what a browser loads first contains neither zod nor the schemas of fifty endpoints. Only endpoints can be
 * imported from there. Forms, which validate with schemas, load later and import from `api`.
 */
export function callsWithoutSchemas(): Plugin {
  return {
    name: 'calls-without-schemas',
    enforce: 'pre',
    apply: 'build',
    resolveId: { filter: { id: CALLS }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0@muster\/contract\/calls\// },
      async handler(id) {
        // Node runs the sources of the contract.
        const exported: Record<string, unknown> = await import(id.slice(1))
        return Object.entries(exported)
          .flatMap(([name, value]) => (isEndpoint(value) ? `export const ${name} = ${writeCall(value)}` : []))
          .join('\n')
      },
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !chunk.isEntry) continue
        const rendered = Object.entries(chunk.modules).filter(([, { renderedLength }]) => renderedLength > 0)
        const ids = rendered.map(([id]) => id)
        if (!ids.some((id) => id.includes('/node_modules/zod/'))) continue
        const schemas = ids.filter((id) => id.includes('/packages/contract/src/')).join(', ')
        throw new Error(
          `What a browser loads first contains zod. Import endpoints from @muster/contract/calls there. It contains ${schemas}`,
        )
      }
    },
  }
}

interface Call {
  method: unknown
  path: unknown
  access: unknown
}

function isEndpoint(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  )
}

/** Enough to call the endpoint. */
const writeCall = ({ method, path, access }: Call) => JSON.stringify({ method, path, access })
