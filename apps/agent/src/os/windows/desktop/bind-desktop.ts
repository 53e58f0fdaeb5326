import { bindLibrary, loadKoffi } from '../win32.ts'

/** Wine reads so many arguments of functions of windows and graphics from the stack, also where they have fewer. */
const PARAMETERS_IN_WINE = 12

/** Loads functions of gdi32 and user32, as `bindLibrary` does. */
export async function bindDesktop<Functions extends object>(
  file: string,
  declarations: Readonly<Record<keyof Functions, string>>,
): Promise<Functions> {
  if (!(await isWine())) return bindLibrary<Functions>(file, declarations)
  const padded = Object.entries<string>(declarations).map(([name, declaration]) => [
    name,
    padDeclaration(declaration),
  ])
  type Call = (...values: unknown[]) => unknown
  const bound = await bindLibrary<Record<string, Call>>(file, Object.fromEntries(padded))
  const called = Object.entries(bound).map(([name, call]) => [
    name,
    (...values: unknown[]) => call(...values, ...nulls(PARAMETERS_IN_WINE - values.length)),
  ])
  // The declarations above are the types.
  return Object.fromEntries(called) as Functions
}

/** The same function with as many parameters as Wine reads, in koffi's notation. */
export function padDeclaration(declaration: string): string {
  const open = declaration.indexOf('(')
  const given = declaration
    .slice(open + 1, -1)
    .split(',')
    .filter((parameter) => parameter.trim() !== '')
  const more = nulls(PARAMETERS_IN_WINE - given.length).map(() => ' void *')
  return `${declaration.slice(0, open)}(${[...given, ...more].join(',').trim()})`
}

const nulls = (count: number) => Array.from({ length: Math.max(count, 0) }, () => null)

export async function isWine(): Promise<boolean> {
  const koffi = await loadKoffi()
  try {
    koffi.load('ntdll.dll').func('const char *wine_get_version()')
    return true
  } catch {
    // Windows has no such function.
    return false
  }
}
