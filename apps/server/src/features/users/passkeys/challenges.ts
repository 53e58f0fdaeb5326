import type { PasskeyRequest } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Context } from '../../../context.ts'
import type { PasskeyChallengesTable } from '../../../platform/database/tables/users.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import type { PasskeyRow } from './queries.ts'

/** How long a user may take with the browser's dialog. */
const CHALLENGE_SECONDS = 5 * 60
export const CHALLENGE_MS = CHALLENGE_SECONDS * 1000
/** Unanswered challenges of one network. An office may share one address. */
const MAX_PER_NETWORK = 200

type Kind = PasskeyChallengesTable['kind']

/** The page that asks. Browsers bind passkeys to its host name. */
export interface Site {
  origin: string
  host: string
}

/**
 * The page of this request, whose origin was checked before it got here. Undefined for programs, which send no origin,
 * and at an IP address, for which browsers keep no passkeys.
 */
export function findSite({ headers }: FastifyRequest): Site | undefined {
  if (headers.origin === undefined) return undefined
  const { origin, hostname: host } = new URL(headers.origin)
  return isIP(host.replaceAll(/[[\]]/g, '')) === 0 ? { origin, host } : undefined
}

export function requireSite(request: FastifyRequest): Site {
  const site = findSite(request)
  if (site !== undefined) return site
  throw new AppError(
    'conflict',
    'Passkeys do not work at an IP address. Open this server at its host name in a browser.',
  )
}

/** Stores a new challenge and returns it. */
export async function storeChallenge(
  ctx: Context,
  { kind, userId, ip }: { kind: Kind; userId: number | null; ip: string },
): Promise<string> {
  const source = networkOf(ip)
  await refuseTooMany(ctx, source)
  const challenge = newToken()
  await ctx.db
    .insertInto('passkey_challenges')
    .values({
      digest: digestOf(challenge),
      kind,
      user_id: userId,
      source,
      expires_at: new Date(ctx.now().getTime() + CHALLENGE_MS).toISOString(),
    })
    .execute()
  return challenge
}

async function refuseTooMany({ db, now }: Context, source: string): Promise<void> {
  const { count } = await db
    .selectFrom('passkey_challenges')
    .where('source', '=', source)
    .where('expires_at', '>', now().toISOString())
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) < MAX_PER_NETWORK) return
  throw new AppError('too_many_requests', 'Too many sign-ins are waiting. Try again in five minutes.', {
    retryAfterSeconds: CHALLENGE_SECONDS,
  })
}

export interface Challenge {
  challenge: string
  kind: Kind
  userId: number | null
}

/** Consumes the challenge that the browser had signed. Throws if there is none for these kinds, or it has expired. */
export async function takeChallenge(
  ctx: Context,
  clientData: string,
  kinds: readonly Kind[],
): Promise<Challenge> {
  const challenge = readChallenge(clientData)
  const taken = await ctx.db
    .deleteFrom('passkey_challenges')
    .where('digest', '=', digestOf(challenge))
    .where('kind', 'in', kinds)
    .returning(['kind', 'user_id', 'expires_at'])
    .executeTakeFirst()
  if (taken === undefined || taken.expires_at <= ctx.now().toISOString())
    throw new AppError('invalid', 'This request has expired or was used before. Try again.')
  return { challenge, kind: taken.kind, userId: taken.user_id }
}

function readChallenge(clientData: string): string {
  try {
    // A stranger may have sent anything.
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as {
      challenge: unknown
    }
    if (typeof challenge === 'string') return challenge
  } catch {
    // No JSON: refused like JSON without a challenge.
  }
  throw new AppError('invalid', 'The response of the browser is not valid. Try again.')
}

/** Returns the options with which the browser asks for a passkey. */
export function writeRequest(
  challenge: string,
  { host }: Site,
  {
    passkeys,
    userVerification,
  }: { passkeys: readonly PasskeyRow[]; userVerification: PasskeyRequest['userVerification'] },
): PasskeyRequest {
  return {
    challenge,
    rpId: host,
    timeout: CHALLENGE_MS,
    userVerification,
    allowCredentials: passkeys.map(describeCredential),
  }
}

export function describeCredential({
  credential_id,
  transports,
}: PasskeyRow): PasskeyRequest['allowCredentials'][number] {
  // Written by addPasskey.
  return { id: credential_id, type: 'public-key', transports: JSON.parse(transports) as string[] }
}

/** The passkeys of a user as a second factor, after the right password. Undefined if none works at this address. */
export async function requestSecondFactor(
  ctx: Context,
  { passkeys, request }: { passkeys: readonly PasskeyRow[]; request: FastifyRequest },
): Promise<PasskeyRequest | undefined> {
  const site = findSite(request)
  const here = passkeys.filter(({ host }) => host === site?.host)
  const [first] = here
  if (site === undefined || first === undefined) return undefined
  const owner = { kind: 'second_factor', userId: first.user_id, ip: request.ip } as const
  // The password was entered: presence is enough.
  return writeRequest(await storeChallenge(ctx, owner), site, {
    passkeys: here,
    userVerification: 'preferred',
  })
}
