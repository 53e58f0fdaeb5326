import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { CliError } from './errors.ts'

/** A server and a key for it. */
const Profile = z.object({
  server: z.string(),
  key: z.string(),
  /** The full path of a PEM file: authorities that this server's certificate may come from. */
  ca: z.string().optional(),
})
export type Profile = z.infer<typeof Profile>

const ProfileFile = z.object({ profiles: z.record(z.string(), Profile) })

export interface ProfileOptions {
  profile?: string
  ca?: string
}

export const DEFAULT_PROFILE = 'default'

/** The profile with this name, or the server and key of the environment. */
export function requireProfile(options: ProfileOptions): Profile {
  const name = options.profile ?? DEFAULT_PROFILE
  const { MUSTER_SERVER: givenServer = '', MUSTER_API_KEY: givenKey = '' } = process.env
  const stored = givenServer !== '' && givenKey !== '' ? undefined : readProfiles()[name]
  const server = givenServer === '' ? stored?.server : parseServer(givenServer)
  if (server === undefined) {
    const more = options.profile === undefined ? '' : ` --profile ${name}`
    throw new CliError(`No profile "${name}". Run: muster login --server URL${more}`)
  }
  // Otherwise the environment could send the stored key to any address.
  if (givenKey === '' && server !== stored?.server)
    throw new CliError(`Set MUSTER_API_KEY too: the stored key is not for ${server}.`)
  const ca = options.ca === undefined ? stored?.ca : resolvePath(options.ca)
  const key = checkKey(givenKey === '' ? (stored?.key ?? '') : givenKey)
  return ca === undefined ? { server, key } : { server, key, ca }
}

/** Returns the file. Only this user can read it. */
export function storeProfile(name: string, profile: Profile): string {
  return writeProfiles({ ...readProfiles(), [name]: profile })
}

/** Deletes a profile with its key, and returns its server. */
export function removeProfile(name: string): string {
  const { [name]: profile, ...others } = readProfiles()
  if (profile === undefined) throw new CliError(`No profile "${name}".`)
  writeProfiles(others)
  return profile.server
}

function writeProfiles(profiles: Record<string, Profile | undefined>): string {
  const file = profileFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return file
}

/** The address without a slash at its end. */
export function parseServer(text: string): string {
  const url = URL.parse(text)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ''
  )
    throw new CliError('The server must be an address such as https://muster.example.org.', 2)
  return url.origin + url.pathname.replace(/\/+$/, '')
}

export function checkKey(text: string): string {
  const key = text.trim()
  if (/^[\u0021-\u007E]{1,500}$/.test(key)) return key
  throw new CliError('The API key is empty or has invalid characters.', 2)
}

/** npm starts the program in the folder of the project. */
export function resolvePath(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '', path)
}

function profileFile(): string {
  const { XDG_CONFIG_HOME: folder = '' } = process.env
  return join(folder === '' ? join(homedir(), '.config') : folder, 'muster/config.json')
}

function readProfiles(): Record<string, Profile | undefined> {
  const file = profileFile()
  const text = readPrivateFile(file)
  if (text === undefined) return {}
  try {
    return ProfileFile.parse(JSON.parse(text)).profiles
  } catch {
    throw new CliError(`${file} is damaged. Delete it and sign in again.`)
  }
}

function readPrivateFile(file: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new CliError(`${file} is open to other users. Run: chmod 600 ${file}`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
