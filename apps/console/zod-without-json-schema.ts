import type { Plugin } from 'vite'

const EXPORT = /^export (?:const|function) (\w+)/gm

/** Leaves out what zod needs to describe its schemas as JSON: the server does that, and a browser never. */
export function zodWithoutJsonSchema(): Plugin {
  return {
    name: 'zod-without-json-schema',
    enforce: 'pre',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ },
      handler(code) {
        const names = Array.from(code.matchAll(EXPORT), ([, name]) => name)
        if (code.includes('processSchema as process')) names.push('process')
        // Every schema is given a method of the first kind when it is made.
        return `const left = () => () => { throw new Error('The console describes no schemas.') }
          export { ${names.map((name) => `left as ${name}`).join(', ')} }`
      },
    },
  }
}
