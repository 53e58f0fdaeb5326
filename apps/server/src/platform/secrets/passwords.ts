import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AppError } from '@muster/contract/errors'

/** OWASP's argon2id figures: 19 MiB, 2 passes. */
const MEMORY_KIB = 19_456
const PASSES = 2
const HASH_BYTES = 32
const SALT_BYTES = 16
/** One core stays free for other work during many sign-ins. */
const CONCURRENT = Math.max(1, Math.min(4, availableParallelism() - 1))
const MAX_QUEUE = 64

/** Returns an argon2id hash in the usual text form, including salt and parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await hashWith(password, { salt, memory: MEMORY_KIB, passes: PASSES })
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${encode(salt)}$${encode(hash)}`
}

/** Returns true if the password matches the hash. Without a hash (unknown user) it takes as long and returns false. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const parsed = parseHash(stored)
  const hash = await hashWith(password, parsed ?? NOBODYS)
  return timingSafeEqual(hash, parsed?.hash ?? hash) && parsed !== undefined
}

interface Figures {
  salt: Buffer
  memory: number
  passes: number
}

const NOBODYS: Figures = { salt: Buffer.alloc(SALT_BYTES), memory: MEMORY_KIB, passes: PASSES }
const HASH = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]{43})$/

function parseHash(stored: string | undefined): (Figures & { hash: Buffer }) | undefined {
  const [, memory, passes, salt, hash] = HASH.exec(stored ?? '') ?? []
  if (salt === undefined || hash === undefined) return undefined
  return {
    salt: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    hash: Buffer.from(hash, 'base64'),
  }
}

async function hashWith(password: string, { salt, memory, passes }: Figures): Promise<Buffer> {
  await acquireSlot()
  try {
    return await new Promise((resolve, reject) => {
      const parameters = {
        message: password.normalize('NFKC'),
        nonce: salt,
        memory,
        passes,
        parallelism: 1,
        tagLength: HASH_BYTES,
      }
      argon2('argon2id', parameters, (error, hash) => (error === null ? resolve(hash) : reject(error)))
    })
  } finally {
    giveTurn()
  }
}

let running = 0
const waiting: (() => void)[] = []

/** Resolves when fewer than CONCURRENT hashes run. Throws if too many are waiting. */
async function acquireSlot(): Promise<void> {
  if (running < CONCURRENT) {
    running += 1
    return
  }
  if (waiting.length >= MAX_QUEUE) {
    throw new AppError(
      'too_many_requests',
      'Too many people are signing in at once. Try again in a few seconds.',
      {
        retryAfterSeconds: 3,
      },
    )
  }
  await new Promise<void>((resolve) => waiting.push(resolve))
}

function giveTurn(): void {
  const next = waiting.shift()
  if (next === undefined) running -= 1
  else next()
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
