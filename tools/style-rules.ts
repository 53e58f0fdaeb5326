import type { SourceFile } from './source-files.ts'

const MANTINE_STYLES = 'apps/console/src/app/mantine-styles.ts'
/** Components that are drawn with another one's style beside their own. */
const STYLED_WITH: Record<string, string[]> = { SegmentedControl: ['FloatingIndicator'] }

/**
 * The frame loads the styles of what it shows itself. A file that uses another component of Mantine loads its style, or
 * it has none until a screen is opened that does. `styles`: the names of the stylesheets that there are.
 */
export function findUnstyled(files: SourceFile[], styles: string[]): string[] {
  const loaded = (text: string) =>
    [...text.matchAll(/@mantine\/core\/styles\/(\w+)\.css/g)].map(([, one]) => one)
  const ofFrame = files.filter(({ path }) => path === MANTINE_STYLES).flatMap(({ text }) => loaded(text))
  return files
    .filter(({ path }) => path.startsWith('apps/console/src/') && path.endsWith('.tsx'))
    .flatMap(({ path, text }) => {
      const there = new Set([...ofFrame, ...loaded(text)])
      const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(text) ?? []
      return names
        .split(',')
        .map((name) => name.trim())
        .flatMap((name) => [name, ...(STYLED_WITH[name] ?? [])])
        .filter((name) => styles.includes(name) && !there.has(name))
        .map((name) => `${path} does not load the style of ${name}`)
    })
}
