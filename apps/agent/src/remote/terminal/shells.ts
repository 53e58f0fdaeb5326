import { readFileSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import type { MachineShell, TerminalDefaults } from '@muster/contract/agent/shells'
import { userInfo } from 'node:os'
import { findProgram } from '../../run/find-program.ts'
import type { Os } from '../../os/os.ts'

const TAKES_LOGIN = new Set(['bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'sh'])
/** Shells of users who must not sign in. */
const NO_SHELL = new Set(['nologin', 'false', 'sync', 'true'])
const MAX_SHELLS = 30

/** The default shell of users without a shell of their own. */
export function chooseShell(own: string | undefined): string {
  if (process.platform === 'win32') return findProgram('pwsh', 'powershell', 'cmd') ?? 'cmd.exe'
  const wanted = own === undefined || NO_SHELL.has(basename(own)) ? [] : [own]
  return findProgram(...wanted, 'bash', 'sh') ?? '/bin/sh'
}

/** Arguments for a login shell. */
export function loginArguments(program: string): string[] {
  return TAKES_LOGIN.has(basename(program)) ? ['-l'] : []
}

/** The installed shells, the default one first, without duplicates. */
export function listShells(own: string | undefined): MachineShell[] {
  const named = process.platform === 'win32' ? findWindowsShells() : findPosixShells()
  const first = chooseShell(own)
  const all = [{ name: nameOf(first), path: first }, ...named]
  return all
    .filter(({ name }, at) => all.findIndex((other) => other.name === name) === at)
    .slice(0, MAX_SHELLS)
}

/** The paths in /etc/shells that users may run. */
export function parseShells(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => isAbsolute(line) && line.length <= 1000 && !NO_SHELL.has(basename(line)))
}

function findPosixShells(): MachineShell[] {
  return [...readShells(), 'pwsh'].flatMap((wanted) => {
    const path = findProgram(wanted)
    return path === undefined ? [] : [{ name: nameOf(path), path }]
  })
}

function readShells(): string[] {
  try {
    return parseShells(readFileSync('/etc/shells', 'utf8'))
  } catch {
    // Small systems have no such file.
    return ['/bin/bash', '/bin/sh']
  }
}

function findWindowsShells(): MachineShell[] {
  return ['cmd', 'powershell', 'pwsh'].flatMap((wanted) => {
    const path = findProgram(wanted)
    return path === undefined ? [] : [{ name: nameOf(path), path }]
  })
}

const nameOf = (path: string) =>
  basename(path)
    .replace(/\.exe$/i, '')
    .slice(0, 100)

/** The agent's own user. In some containers its id has no name. */
export function findOwnUser(): { name: string; shell: string | undefined } {
  try {
    const { username, shell } = userInfo()
    return { name: username, shell: shell ?? undefined }
  } catch {
    return { name: String(process.getuid?.() ?? 'agent'), shell: undefined }
  }
}

/** The signed-in user, a desktop session first. */
export async function findSignedInUser(os: Os): Promise<string | null> {
  return (await os.readQuickFacts()).logged_in_user ?? null
}

/** Why no shell can run as the signed-in user; undefined if it can. */
export function whyNotAsUser(os: Os, signedIn: string | null): string | undefined {
  if (signedIn === null) return 'No user is signed in at this machine.'
  return signedIn === findOwnUser().name ? undefined : os.whyNoOtherUser(signedIn)
}

/** Lists the shells and users that a terminal of this machine can use. */
export async function describeShells(os: Os): Promise<TerminalDefaults> {
  const own = findOwnUser()
  const signedIn = await findSignedInUser(os)
  return {
    shells: listShells(own.shell),
    agent_user: own.name.slice(0, 200),
    signed_in_user: signedIn?.slice(0, 200) ?? null,
    why_no_user: whyNotAsUser(os, signedIn) ?? null,
  }
}
