import { createSnippet, type Snippet } from '@muster/contract/api/snippets'
import { createScript, type Script } from '@muster/contract/api/scripts'
import type { KeyStoreEntry } from '@muster/contract/api/keystore'
import { Platform } from '@muster/contract/fields'
import { matchByName, type Planner } from './steps.ts'
import type { OldData, OldScript } from './tactical.ts'

export const scriptKey = (id: number): string => `script ${id}`

const MIN_TIMEOUT_SECONDS = 5
export const ENV_VAR = /^[A-Za-z_][A-Za-z0-9_]*=/

/** Scripts of the user, and those of the community library that something uses. */
export function findMovedScripts(scripts: readonly OldScript[], used: ReadonlySet<number>): OldScript[] {
  return scripts.filter(({ id, script_type }) => script_type === 'userdefined' || used.has(id))
}

/** `bodies` and `presentBodies`: code by id of the script there and here. */
export function planScripts(
  planner: Planner,
  moved: readonly OldScript[],
  {
    present,
    bodies,
    presentBodies,
  }: {
    present: readonly Script[]
    bodies: ReadonlyMap<number, string>
    presentBodies: ReadonlyMap<number, string>
  },
): void {
  matchByName(planner, moved, present, {
    kind: 'script',
    keyOf: ({ id }) => scriptKey(id),
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: (old, here) =>
      bodies.get(old.id) === presentBodies.get(here.id) ? '' : 'Its code here differs, and stays.',
    whenNew: (old) => planScript(planner, old, bodies.get(old.id) ?? ''),
  })
}

function planScript(planner: Planner, old: OldScript, script_body: string): void {
  const env_vars = old.env_vars.filter((line) => ENV_VAR.test(line))
  const default_timeout = Math.max(MIN_TIMEOUT_SECONDS, Math.round(old.default_timeout))
  const reasons = [
    env_vars.length === old.env_vars.length ? '' : 'Environment variables without NAME=value are left out.',
    default_timeout === old.default_timeout ? '' : `Its time limit becomes ${default_timeout} seconds.`,
    old.script_type === 'userdefined' ? '' : 'From the community library, because something uses it.',
  ]
  const { name, description, category, shell, args, filename, favorite, hidden, run_as_user } = old
  planner.create({
    kind: 'script',
    name,
    reason: reasons.filter(Boolean).join(' '),
    key: scriptKey(old.id),
    endpoint: createScript,
    body: () => ({
      name,
      description,
      category,
      shell,
      script_body,
      args,
      env_vars,
      filename,
      default_timeout,
      supported_platforms: Platform.options.filter((platform) => old.supported_platforms.includes(platform)),
      favorite,
      hidden,
      run_as_user,
    }),
  })
}

export function planSnippets(planner: Planner, olds: OldData['snippets'], present: readonly Snippet[]): void {
  matchByName(planner, olds, present, {
    kind: 'snippet',
    keyOf: ({ id }) => `snippet ${id}`,
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: (old, here) => (old.code === here.code ? '' : 'Its code here differs, and stays.'),
    whenNew: ({ id, name, desc, code, shell }) =>
      planner.create({
        kind: 'snippet',
        name,
        key: `snippet ${id}`,
        endpoint: createSnippet,
        body: () => ({ name, desc, code, shell }),
      }),
  })
}

/** Values of keys do not move: the list would carry secrets through this program. */
export function planKeys(planner: Planner, olds: OldData['keys'], present: readonly KeyStoreEntry[]): void {
  matchByName(planner, olds, present, {
    kind: 'key',
    keyOf: ({ id }) => `key ${id}`,
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: () => '',
    whenNew: ({ name }) =>
      planner.byHand({ kind: 'key', name, reason: 'Enter its value in the key store of the console.' }),
  })
}
