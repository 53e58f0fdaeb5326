import { CONSOLE_SCREENS } from '@muster/contract/console-screens'
import type { DescribedRoute } from './openapi.ts'

/**
 * The address of a request as it is routed. A base address with a slash at its end gives two slashes at the beginning,
 * which are one. Two slashes further on stay: an id is missing there, and without it the address would mean something
 * else.
 */
export function tidyAddress(url: string): string {
  return url.replace(/^(?:https?:\/\/[^/?]*)?\/+/i, '/')
}

/** The path of a tidy address, as the client wrote it. */
export function pathOf({ url }: { url: string }): string {
  return url.split('?', 1)[0] ?? '/'
}

/** Addresses of the API end in a slash; those of the console's screens do not. */
export function isScreen(path: string): boolean {
  return SCREENS.some((screen) => screen.test(path))
}

const SCREENS = CONSOLE_SCREENS.map((path) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`))

/** Returns true for every spelling of an address below a first part that the API uses, also if no route has it. */
export function isApiAddress(path: string, routes: readonly DescribedRoute[]): boolean {
  const [first] = partsOf(path)
  return first !== undefined && routes.some((route) => partsOf(route.path)[0] === first)
}

/** The methods of the routes with this path. */
export function methodsAt(path: string, routes: readonly DescribedRoute[]): string[] {
  const methods = routes.filter((route) => matches(route.path, path)).map(({ method }) => method)
  return [...new Set(methods)]
}

const MAX_DECODINGS = 3

/** In lower case, without dot segments and encodings. Everything but letters, digits, dots and hyphens separates parts. */
function partsOf(path: string): string[] {
  const parts: string[] = []
  for (const part of decode(path)
    .toLowerCase()
    .split(/[^\w.-]+/)) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

function decode(path: string): string {
  let text = path
  for (let count = 0; count < MAX_DECODINGS && text.includes('%'); count++)
    text = text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return text
}

function matches(pattern: string, path: string): boolean {
  const wanted = partsIn(pattern)
  const given = partsIn(path)
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  )
}

/** A slash at the end adds no part. */
const partsIn = (path: string): string[] => path.replace(/\/$/, '').split('/')
