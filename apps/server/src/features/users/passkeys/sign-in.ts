import type { signInWithPasskey } from '@muster/contract/api/passkeys'
import type { PasskeyRequest, SignIn, SignInFailure } from '@muster/contract/api/sessions'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'
import { findWholeUser, hasSsoAccount } from '../sessions/queries.ts'
import {
  findDevice,
  openSession,
  refuseBlockedLogon,
  type SigningUser,
  type SignInParts,
} from '../sessions/sign-in.ts'
import { auditSignIn } from '../sessions/sign-ins.ts'
import { countFailure, keyList, refuseWhileBlocked, throttleKeys } from '../sessions/throttle.ts'
import {
  type Challenge,
  requireSite,
  type Site,
  storeChallenge,
  takeChallenge,
  writeRequest,
} from './challenges.ts'
import { findCredential, takeCounter } from './queries.ts'
import { userHandle } from './write-passkey.ts'

/** Lets the browser offer the passkeys that it has for this server. */
export async function requestSignIn(ctx: Context, request: FastifyRequest): Promise<PasskeyRequest> {
  const site = requireSite(request)
  const challenge = await storeChallenge(ctx, { kind: 'sign_in', userId: null, ip: request.ip })
  // Counts as both factors.
  return writeRequest(challenge, site, { passkeys: [], userVerification: 'required' })
}

type Assertion = Parsed<typeof signInWithPasskey>['body']

/** Signs in with a passkey alone, or with the one that signInByPassword asked for after the right password. */
export async function signInByPasskey(
  desk: SignInParts,
  { assertion, request, reply }: { assertion: Assertion; request: FastifyRequest; reply: FastifyReply },
): Promise<SignIn> {
  const { ctx, cookies, turns } = desk
  const site = requireSite(request)
  const challenge = await takeChallenge(ctx, assertion.client_data, ['sign_in', 'second_factor'])
  const userId = challenge.userId ?? (await findCredential(ctx.db, assertion.id))?.user_id
  const user = userId === undefined ? undefined : await findWholeUser(ctx.db, userId)
  const keys =
    user === undefined
      ? // No account: counted for the network only.
        { account: `passkey:${networkOf(request.ip)}`, source: `source:${networkOf(request.ip)}` }
      : throttleKeys(
          user.username,
          request.ip,
          findDevice(ctx, cookies, { request, username: user.username }),
        )
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    const reason = await whyRefused(ctx, user, { assertion, challenge, site })
    if (user !== undefined && reason === undefined) {
      await refuseBlockedLogon(ctx, user, { request, method: 'passkey' })
      return openSession(desk, { user, method: 'passkey', keys, request, reply })
    }
    await countFailure(ctx, keys)
    const failed = { user, request, method: 'passkey', reason: reason ?? 'wrong_passkey' } as const
    await auditSignIn(ctx.db, failed, { at: ctx.now(), emit: ctx.emit })
    throw new AppError('bad_credentials', 'This passkey does not sign you in. Sign in with your password.')
  })
}

async function whyRefused(
  ctx: Context,
  user: SigningUser | undefined,
  { assertion, challenge, site }: { assertion: Assertion; challenge: Challenge; site: Site },
): Promise<SignInFailure | undefined> {
  const passkey = await findCredential(ctx.db, assertion.id)
  if (user === undefined || passkey?.user_id !== user.id || (await hasSsoAccount(ctx.db, user.id)))
    return 'wrong_passkey'
  if (assertion.user_handle !== undefined && assertion.user_handle !== userHandle(ctx, user.id))
    return 'wrong_passkey'
  const used = await verify(assertion, {
    expectedChallenge: challenge.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: challenge.kind === 'sign_in',
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      // takeCounter compares the counters when it stores the new one.
      counter: 0,
    },
  })
  if (used === undefined) return 'wrong_passkey'
  if (user.is_active === 0) return 'blocked'
  const state = { counter: used.newCounter, isBackedUp: used.credentialBackedUp, at: ctx.now() }
  return (await takeCounter(ctx.db, passkey.id, state)) ? undefined : 'copied_passkey'
}

async function verify(
  { id, client_data, authenticator_data, signature }: Assertion,
  expected: Omit<Parameters<typeof verifyAuthenticationResponse>[0], 'response'>,
) {
  // Loaded on first use: it takes 28 MB.
  const library = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      ...expected,
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
    })
    return verified ? authenticationInfo : undefined
  } catch {
    // Malformed, or signed for another challenge, origin or host: the caller learns no more than of a wrong signature.
    return undefined
  }
}
