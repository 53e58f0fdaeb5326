import { bindLibrary, loadKoffi } from '../win32.ts'

/** Wine reads so many arguments of functions of windows and graphics from the stack, also where they have fewer. */
const PARAMETERS_IN_WINE = 12

/** Loads functions of gdi32 and user32, as `bindLibrary` does. */
export async function bindDesktop<Functions extends object>(
  file: string,
  declarations: Readonly<Record<keyof Functions, string>>,
): Promise<Functions> {
  if (!(await isWine())) return bindLibrary<Functions>(file, declarations)
  const counts = new Map<string, number>()
  const padded = Object.entries<string>(declarations).map(([name, declaration]) => {
    const missing = PARAMETERS_IN_WINE - countParameters(declaration)
    counts.set(name, missing)
    const more = Array.from({ length: missing }, () => 'void *').join(', ')
    const start = declaration.slice(0, -1)
    return [name, `${start}${start.endsWith('(') ? '' : ', '}${more})`]
  })
  type Call = (...values: unknown[]) => unknown
  const bound = await bindLibrary<Record<string, Call>>(file, Object.fromEntries(padded))
  const called = Object.entries(bound).map(([name, call]) => {
    const more = Array.from({ length: counts.get(name) ?? 0 }, () => null)
    return [name, (...values: unknown[]) => call(...values, ...more)]
  })
  // The declarations above are the types.
  return Object.fromEntries(called) as Functions
}

function countParameters(declaration: string): number {
  const parameters = declaration.slice(declaration.indexOf('(') + 1, -1)
  return parameters === '' ? 0 : parameters.split(',').length
}

async function isWine(): Promise<boolean> {
  const koffi = await loadKoffi()
  try {
    koffi.load('ntdll.dll').func('const char *wine_get_version()')
    return true
  } catch {
    // Windows has no such function.
    return false
  }
}
