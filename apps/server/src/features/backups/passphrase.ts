import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '@muster/contract/errors'

const MIN_LENGTH = 10

/** The passphrase of MUSTER_BACKUP_PASSPHRASE, or typed by the user: twice for a new backup. */
export async function readPassphrase(
  fromEnvironment: string | undefined,
  { isNew }: { isNew: boolean },
): Promise<string> {
  if (fromEnvironment !== undefined) return fromEnvironment
  if (!process.stdin.isTTY)
    throw new AppError('invalid', 'Set MUSTER_BACKUP_PASSPHRASE to the passphrase of the backup.')
  const typed = await promptHidden('Passphrase of the backup: ')
  if (!isNew) return typed
  if (typed.length < MIN_LENGTH)
    throw new AppError('invalid', `Choose a passphrase of ${MIN_LENGTH} characters or more.`)
  if ((await promptHidden('Repeat the passphrase: ')) !== typed)
    throw new AppError('invalid', 'The passphrases differ. Try again.')
  return typed
}

async function promptHidden(label: string): Promise<string> {
  process.stderr.write(label)
  // The terminal echoes nothing while readline writes what is typed to nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    process.stderr.write('\n')
  }
}
