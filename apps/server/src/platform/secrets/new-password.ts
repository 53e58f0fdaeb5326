import { AppError } from '@muster/contract/errors'
import { findPasswordFault } from '@muster/rules/text/weak-password'
import { randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import { readCoreSettings } from '../config/core-settings.ts'
import type { Db } from '../database/database.ts'

/** Refuses a new password that is too short by the server's settings, or easy to guess. */
export async function refuseWeakPassword(db: Db, password: string, username: string): Promise<void> {
  const { password_min_length: minCharacters } = await readCoreSettings(db)
  const fault = whyRefused(password, { username, minCharacters })
  if (fault !== undefined) throw new AppError('invalid', fault, { fields: { password: [fault] } })
}

/** Why a new password is refused; undefined if it is accepted. */
export function whyRefused(
  password: string,
  rules: { username: string; minCharacters: number },
): string | undefined {
  return findPasswordFault(password, { ...rules, leaked: readLeaked() })
}

/** Without look-alikes, because it may be typed from a screen. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const GENERATED_CHARACTERS = 20

export function generatePassword(minCharacters: number): string {
  const length = Math.max(GENERATED_CHARACTERS, minCharacters)
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

let leaked: ReadonlySet<string> | undefined

/** 49,000 common passwords of leaks. Read once, in 20 ms, when the first password is set. */
function readLeaked(): ReadonlySet<string> {
  // A list of strings, without types of its own.
  leaked ??= new Set(
    createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json') as string[],
  )
  return leaked
}
