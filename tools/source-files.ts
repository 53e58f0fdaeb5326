import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SourceFile {
  /** From the project's folder, with forward slashes. */
  path: string
  text: string
}

const TEXT_FILE = /\.(ts|tsx|mjs|js|json|css|html|md|yaml|yml|sh|ps1|service)$|\/(run|\.npmrc|\.gitignore)$/

/** Every text file of the project, as far as .gitignore does not name its folder. */
export function readSources(root: string): SourceFile[] {
  const ignored = readIgnored(root)
  return listFiles(root, '', ignored)
    .filter((path) => TEXT_FILE.test(`/${path}`))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Folders at the top of the project. */
export function listTopFolders(root: string): string[] {
  const ignored = readIgnored(root)
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ignored.some((pattern) => pattern.test(entry.name)))
    .map((entry) => entry.name)
}

function listFiles(root: string, folder: string, ignored: RegExp[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return ignored.some((pattern) => pattern.test(entry.name)) ? [] : listFiles(root, path, ignored)
  })
}

/** The lines of .gitignore that name folders, which are the only kind that matters here. */
function readIgnored(root: string): RegExp[] {
  const names = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('/'))
    .map((line) => line.slice(0, -1))
  return [...names, '.git'].map(
    (name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`),
  )
}
