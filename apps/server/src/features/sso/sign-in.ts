import type { finishSsoSignIn } from '@muster/contract/api/sso'
import { SSO_CALLBACK_PATH } from '@muster/contract/api/sso'
import type { Output } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as oidc from 'openid-client'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import type { LimitedLog } from '../../platform/log/limited-log.ts'
import { audit } from '../audit/write-audit.ts'
import { serverUrl } from '../installers/install-files.ts'
import type { SessionCookies } from '../users/sessions/session-cookies.ts'
import { openSession } from '../users/sessions/sign-in.ts'
import { admitUser, type Identity } from './admit-user.ts'
import { refuseTooMany, storeAttempt, takeAttempt } from './attempts.ts'
import { describeProviderError, isProviderDown, openProvider } from './provider-client.ts'
import { findProviders, type ProviderRow, secretOf } from './write-provider.ts'

export interface SsoDesk {
  ctx: Context
  cookies: SessionCookies
  /** Failures at the start, which anyone can repeat. */
  failures: LimitedLog
}

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Returns the provider's address with state, nonce and the challenge of PKCE. */
export async function startSignIn(
  desk: SsoDesk,
  { provider: name, request, reply }: Exchange & { provider: string },
): Promise<string> {
  const { ctx } = desk
  const provider = await requireOffered(ctx, { name })
  await refuseTooMany(ctx, request.ip)
  const state = oidc.randomState()
  const nonce = oidc.randomNonce()
  const verifier = oidc.randomPKCECodeVerifier()
  const callback = `${serverUrl(ctx.config, request)}${SSO_CALLBACK_PATH}`
  const url = await buildAddress(desk, provider, request, {
    redirect_uri: callback,
    scope: provider.scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const sealed = { verifier, nonce, callback }
  await storeAttempt(desk, { providerId: provider.id, state, sealed }, { request, reply })
  return url
}

async function buildAddress(
  { ctx, failures }: SsoDesk,
  provider: ProviderRow,
  { ip }: FastifyRequest,
  parameters: Record<string, string>,
): Promise<string> {
  try {
    const url = oidc.buildAuthorizationUrl(await openClient(ctx, provider), parameters)
    // The console opens it, and a provider could name any scheme.
    if (url.protocol !== new URL(provider.issuer).protocol)
      throw new Error(`its sign-in page has the scheme ${url.protocol}`)
    return url.href
  } catch (cause) {
    failures.write(ip, { provider: provider.name, reason: describeProviderError(cause) }, 'provider failed')
    throw refusalOf(cause, provider)
  }
}

/** Verifies what the provider returned, and opens a session for its user. */
export async function finishSignIn(
  desk: SsoDesk,
  { query, request, reply }: Exchange & { query: string },
): Promise<Output<typeof finishSsoSignIn>> {
  const { ctx } = desk
  const parameters = new URLSearchParams(query)
  const state = parameters.get('state') ?? ''
  const { providerId, verifier, nonce, callback } = await takeAttempt(desk, state, request)
  const provider = await requireOffered(ctx, { id: providerId })
  try {
    const { identity, idToken } = await verify(await openClient(ctx, provider), {
      address: new URL(`${callback}?${parameters.toString()}`),
      provider,
      checks: {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        idTokenExpected: true,
      },
    })
    const { user, accountId } = await admitUser(ctx, { provider, identity, source: request.ip })
    const sso = { accountId, provider: provider.name, idToken }
    const session = await openSession(desk, { user, method: 'provider', sso, request, reply })
    return { ...session, provider: provider.name }
  } catch (error) {
    const reason = error instanceof AppError ? error.message : describeProviderError(error)
    await audit(ctx.db, {
      caller: { username: '', source: request.ip },
      action: 'failed_login',
      object_type: 'user',
      message: `Failed to sign in with the provider "${provider.name}": ${reason}`,
      at: ctx.now(),
      emit: ctx.emit,
    })
    throw refusalOf(error, provider)
  }
}

function refusalOf(error: unknown, { name }: ProviderRow): unknown {
  if (error instanceof AppError) return error
  if (isProviderDown(error))
    return new AppError('unavailable', `${name} does not respond. Try again later.`, { cause: error })
  if (error instanceof oidc.AuthorizationResponseError)
    return new AppError('not_allowed', `${name} refused the sign-in (${error.error}). Try again.`, {
      cause: error,
    })
  return new AppError('invalid', `The response of ${name} is not valid. Ask an administrator.`, {
    cause: error,
  })
}

async function verify(
  client: oidc.Configuration,
  {
    address,
    provider,
    checks,
  }: { address: URL; provider: ProviderRow; checks: oidc.AuthorizationCodeGrantChecks },
): Promise<{ identity: Identity; idToken: string }> {
  const tokens = await oidc.authorizationCodeGrant(client, address, checks)
  const claims = tokens.claims()
  if (claims === undefined || tokens.id_token === undefined) throw new Error('the response has no ID token')
  // Many providers return only the subject in the ID token.
  const more =
    client.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)
  const all: Record<string, unknown> = { ...more, ...claims }
  return {
    idToken: tokens.id_token,
    identity: {
      issuer: claims.iss,
      subject: claims.sub,
      username: textOf(all['preferred_username']),
      email: textOf(all['email']),
      isEmailVerified: all['email_verified'] === true,
      firstName: textOf(all['given_name']),
      lastName: textOf(all['family_name']),
      groups: provider.role_claim === '' ? [] : valuesOf(all, provider.role_claim),
    },
  }
}

const MAX_TEXT_LENGTH = 300
const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().slice(0, MAX_TEXT_LENGTH) : '')

/** The texts of a claim, by its name or its path: `realm_access.roles`. */
function valuesOf(claims: Record<string, unknown>, claim: string): string[] {
  const found = Object.hasOwn(claims, claim)
    ? claims[claim]
    : claim.split('.').reduce<unknown>(
        (value, key) =>
          typeof value === 'object' && value !== null && Object.hasOwn(value, key)
            ? // Own property, checked in the line above.
              (value as Record<string, unknown>)[key]
            : undefined,
        claims,
      )
  const list: unknown[] = Array.isArray(found) ? found : [found]
  return list.filter((value) => typeof value === 'string' || typeof value === 'number').map(String)
}

/** The address that ends the session at the provider, if it offers one and an administrator has chosen that. */
export async function findSignOut(ctx: Context, sessionDigest: string): Promise<string | null> {
  const session = await ctx.db
    .selectFrom('sessions')
    .innerJoin('sso_accounts', 'sso_accounts.id', 'sessions.sso_account_id')
    .where('digest', '=', sessionDigest)
    .select(['provider_id', 'id_token'])
    .executeTakeFirst()
  if (session === undefined) return null
  const [provider] = await findProviders(ctx.db, { id: session.provider_id })
  if (provider?.sign_out !== 1) return null
  try {
    const client = await openClient(ctx, provider)
    if (client.serverMetadata().end_session_endpoint === undefined) return null
    const url = oidc.buildEndSessionUrl(
      client,
      session.id_token === null ? {} : { id_token_hint: ctx.secrets.decrypt(session.id_token) },
    )
    return url.protocol === new URL(provider.issuer).protocol ? url.href : null
  } catch {
    // Signing out here must not depend on a provider that is down.
    return null
  }
}

async function requireOffered(ctx: Context, which: { id: number } | { name: string }): Promise<ProviderRow> {
  const { sso_enabled: isOn } = await readCoreSettings(ctx.db)
  if (!isOn) throw new AppError('switched_off', 'Signing in with a provider is switched off.')
  const [provider] = await findProviders(ctx.db, which)
  if (provider === undefined)
    throw new AppError('not_found', 'This sign-in provider no longer exists. Reload the page.')
  return provider
}

const openClient = (ctx: Context, provider: ProviderRow) =>
  openProvider({ ...provider, secret: secretOf(ctx, provider) }, ctx.config.channelTargets)
