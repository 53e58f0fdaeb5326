import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { Api } from '../../../platform/http/route.ts'
import { FORM_PAGE_POLICY } from '../../../platform/http/security-headers.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'
import { countFailure, refuseWhileBlocked } from '../../users/sessions/throttle.ts'
import { acknowledgeByLink, type AlertLinkState, readLink } from './acknowledge-by-link.ts'
import { LINK_PATH } from './alert-links.ts'
import { LINK_STATUS, writeBlockedPage, writeLinkPage } from './link-page.ts'

const MAX_FORM_BYTES = 1024

type LinkRequest = FastifyRequest<{ Params: { token: string } }>

/**
 * Pages for people without a session, so no endpoints of the contract. The token is the only authority: cookies do not
 * count. A browser that sends no referrer sends the form with the origin `null`, so any origin is accepted.
 */
export function alertLinkRoutes(api: Api, ctx: Context): void {
  void api.fastify.register(async (fastify) => {
    // The form has no fields.
    fastify.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, _body, done) => done(null, undefined),
    )
    const summaries = {
      get: 'The page of a link that acknowledges an alert without signing in; it changes nothing',
      post: 'Acknowledges the alert of a link, once within 48 hours',
    }
    fastify.get(
      LINK_PATH,
      { config: { summary: summaries.get, anyOrigin: true } },
      (request: LinkRequest, reply) => answer({ request, reply }, (token) => readLink(ctx, token)),
    )
    fastify.post(
      LINK_PATH,
      { config: { summary: summaries.post, anyOrigin: true }, bodyLimit: MAX_FORM_BYTES },
      (request: LinkRequest, reply) =>
        answer({ request, reply }, (token) => acknowledgeByLink(ctx, token, request.ip)),
    )
  })

  async function answer(
    { request, reply }: { request: LinkRequest; reply: FastifyReply },
    open: (token: string) => Promise<AlertLinkState>,
  ): Promise<FastifyReply> {
    void reply.headers({
      'content-security-policy': FORM_PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })
    void reply.type('text/html; charset=utf-8')
    const keys = { account: `link:${networkOf(request.ip)}`, source: undefined }
    try {
      await refuseWhileBlocked(ctx, keys)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'too_many_requests') throw error
      return reply
        .status(429)
        .header('retry-after', error.retryAfterSeconds ?? 1)
        .send(writeBlockedPage(error.message))
    }
    const found = await open(request.params.token)
    if (found.state === 'unknown') await countFailure(ctx, keys)
    return reply.status(LINK_STATUS[found.state]).send(writeLinkPage(found, ctx.config.publicUrl))
  }
}
