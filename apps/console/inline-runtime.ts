import type { Plugin } from 'vite'

const IMPORT = /import\s*\{([^}]*)\}\s*from\s*"\.\/(rolldown-runtime-[^"]+)";?/
const EXPORT = /export\s*\{([^}]*)\};?\s*$/

/**
 * Puts the bundler's own few helper functions, which it keeps in a file of half a kilobyte, into the file that is
 * loaded first as well: the program would otherwise begin only when that second request has been answered, too.
 */
export function inlineRuntime(): Plugin {
  return {
    name: 'inline-runtime',
    enforce: 'pre',
    generateBundle(_options, bundle) {
      for (const entry of Object.values(bundle)) {
        if (entry.type !== 'chunk' || !entry.isEntry) continue
        const [statement, imported = '', file = ''] = IMPORT.exec(entry.code) ?? []
        const runtime = bundle[`assets/${file}`]
        const exported = runtime?.type === 'chunk' ? EXPORT.exec(runtime.code)?.[1] : undefined
        if (statement === undefined || runtime?.type !== 'chunk' || exported === undefined) {
          throw new Error('the helper functions of the bundler are not where they used to be')
        }
        const helpers = runtime.code.replace(
          EXPORT,
          `return{${renamed(exported, (from, to) => `${to}:${from}`)}}`,
        )
        const names = renamed(imported, (from, to) => `${from}:${to}`)
        entry.code = entry.code.replace(statement, () => `const{${names}}=(()=>{${helpers}})();`)
        entry.imports = entry.imports.filter((name) => name !== runtime.fileName)
      }
    },
  }
}

/** `a as b,c` with each pair written in another way. */
function renamed(list: string, write: (from: string, to: string) => string): string {
  return list
    .split(',')
    .map((part) => part.trim().split(/\s+as\s+/))
    .map(([from = '', to = from]) => write(from, to))
    .join(',')
}
