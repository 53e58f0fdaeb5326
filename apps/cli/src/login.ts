import { getMe } from '@muster/contract/api/users'
import { openClient } from './client.ts'
import { note, print } from './output.ts'
import {
  checkKey,
  DEFAULT_PROFILE,
  parseServer,
  type ProfileOptions,
  removeProfile,
  resolvePath,
  storeProfile,
} from './profiles.ts'
import { readSecret } from './prompt.ts'
import { makeSafe } from './text.ts'

const LOOPBACK = /^http:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/

/** Stores a key after its server has accepted it. Never an argument: other users see those of running programs. */
export async function login(
  options: ProfileOptions & { server: string },
  stop: AbortController,
): Promise<void> {
  const server = parseServer(options.server)
  warnOfPlainHttp(server)
  const key = checkKey(await readSecret(`API key for ${server}: `, stop))
  const profile = { server, key, ...(options.ca === undefined ? {} : { ca: resolvePath(options.ca) }) }
  const me = await openClient(profile, stop.signal).call(getMe, {})
  const name = options.profile ?? DEFAULT_PROFILE
  const file = storeProfile(name, profile)
  print(`Signed in to ${server} as ${makeSafe(me.username)}. Stored as profile "${name}" in ${file}.`)
}

export function warnOfPlainHttp(server: string): void {
  if (server.startsWith('http:') && !LOOPBACK.test(server))
    note('The connection is not encrypted: others on the network can read the key.')
}

export function logout({ profile: name = DEFAULT_PROFILE }: ProfileOptions): void {
  const server = removeProfile(name)
  print(
    `Deleted the profile "${name}" with its key. The key stays valid: delete it in the console of ${server}.`,
  )
}
