import type { Readable } from 'node:stream'
import {
  beginUpload,
  dropUpload,
  finishUpload,
  lookAtUpload,
  MOST_UPLOAD_BYTES,
  UPLOAD_BYTES_PATH,
  UploadBytesQuery,
} from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import { UploadId } from '@muster/contract/agent/files'
import { AgentId } from '@muster/contract/fields'
import { z } from 'zod'
import { mayDo } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import type { FileParts } from './open-use.ts'
import { beginFileUpload, dropFileUpload, finishFileUpload, sendBytes, tooMuch } from './upload.ts'

const BytesParams = z.object({ agent_id: AgentId, upload: UploadId })

export function uploadRoutes(api: Api, parts: FileParts): void {
  const { ctx, fleet } = parts
  route(api, beginUpload, ({ params: { agent_id: agentId }, body, caller }) =>
    beginFileUpload(parts, { caller, agentId }, body),
  )
  route(api, lookAtUpload, async ({ params: { agent_id, upload }, query, caller }) => {
    const agent = await requireAgent(ctx.db, agent_id, caller)
    const order = { input: { path: query.path, upload }, author: caller.username }
    return fleet.ask(agent, 'look-at-upload', order)
  })
  route(api, finishUpload, ({ params: { agent_id: agentId, upload }, body, caller }) =>
    finishFileUpload(parts, { caller, agentId }, { ...body, upload }),
  )
  route(api, dropUpload, ({ params: { agent_id: agentId, upload }, query, caller }) =>
    dropFileUpload(parts, { caller, agentId }, { path: query.path, upload }),
  )
  // Of its own, because its body is no JSON and is passed on while it comes.
  void api.fastify.register(async (bytes) => {
    bytes.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))
    bytes.put(
      UPLOAD_BYTES_PATH,
      {
        bodyLimit: MOST_UPLOAD_BYTES,
        config: {
          summary: 'Bytes of an upload (application/octet-stream), behind the `offset` that are there',
        },
      },
      async (request, reply) => {
        const caller = await api.authenticate(request, reply)
        if (caller === undefined) throw new AppError('not_signed_in', 'Sign in first.')
        if (caller.session?.totpPending === true)
          throw new AppError('totp_required', 'Set up two-factor sign-in before anything else.')
        if (!mayDo(caller, 'can_manage_files'))
          throw new AppError('not_allowed', 'Your role does not allow this (can_manage_files).')
        const params = BytesParams.safeParse(request.params)
        const query = UploadBytesQuery.safeParse(request.query)
        if (!params.success || !query.success || request.body === undefined)
          throw new AppError('invalid', 'The address of this upload is not valid.')
        if (Number(request.headers['content-length'] ?? 0) > MOST_UPLOAD_BYTES) throw tooMuch()
        const { agent_id: agentId, upload } = params.data
        // As the parser above hands it over: a stream without an encoding, of buffers.
        const stream = request.body as Readable
        const isBounded = request.headers['content-length'] !== undefined
        const body: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: !isBounded })
        try {
          return await sendBytes(parts, { caller, agentId }, { ...query.data, upload, body })
        } finally {
          // What is under way of a refused body ends the connection, and maybe the answer, unless it is read.
          if (isBounded) stream.resume()
        }
      },
    )
  })
}
