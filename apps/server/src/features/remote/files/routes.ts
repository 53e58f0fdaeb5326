import {
  beginUpload,
  changeFile,
  DOWNLOAD_PATH,
  dropUpload,
  finishUpload,
  listFolder,
  lookAtUpload,
  MAX_UPLOAD_BYTES,
  readFileAccess,
  readText,
  startDownload,
  UPLOAD_BYTES_PATH,
  UploadBytesQuery,
  writeText,
} from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import type { Readable } from 'node:stream'
import { type FileChange, type TextFile, UploadId } from '@muster/contract/agent/files'
import { AgentId } from '@muster/contract/fields'
import { z } from 'zod'
import type { AuditAction } from '@muster/contract/api/audit'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import type { ChannelHub } from '../channel-hub.ts'
import type { SessionCookies } from '../../users/sessions/session-cookies.ts'
import { mayDo, refusePending } from '../../../platform/http/caller.ts'
import { type AgentRequest, requestAgent } from '../../agents/request-agent.ts'
import { redeemDownload, writeDownloadUrl } from './download-ticket.ts'
import { sendDownload } from './send-download.ts'
import type { FileParts } from './open-use.ts'
import { beginFileUpload, dropFileUpload, finishFileUpload, sendBytes, tooMuch } from './upload.ts'

const ACTIONS: Record<FileChange['change'], AuditAction> = {
  'make-folder': 'add',
  move: 'modify',
  delete: 'delete',
  'set-mode': 'modify',
}

/** Changes files on a machine, with an audit row. */
function changeMachineFile(
  ctx: Context,
  asking: AgentRequest,
  change: FileChange,
): Promise<{ count: number }> {
  const path = showRaw(change.path)
  return requestAgent(ctx, asking, {
    name: 'change-file',
    input: change,
    action: ACTIONS[change.change],
    object_type: 'file',
    describe: (answer) => emitChange(change, answer?.count ?? 1),
    keep: (answer) => ({ ...change, shown_path: path, ...answer }),
  })
}

function emitChange(change: FileChange, count: number): string {
  const path = showRaw(change.path)
  switch (change.change) {
    case 'make-folder':
      return `Created the folder "${path}"`
    case 'move':
      return `Moved "${path}" to "${showRaw(change.to)}"`
    case 'delete':
      return count > 1 ? `Deleted "${path}" and ${count - 1} items in it` : `Deleted "${path}"`
    case 'set-mode':
      return `Set the permissions of "${path}" to ${change.mode.toString(8).padStart(4, '0')}`
  }
}

function readTextFile(ctx: Context, asking: AgentRequest, path: string): Promise<TextFile> {
  const shown = showRaw(path)
  return requestAgent(ctx, asking, {
    name: 'read-text',
    input: { path },
    action: 'view',
    object_type: 'file',
    describe: () => `Viewed "${shown}"`,
    keep: (answer) => ({ shown_path: shown, path, ...bytesOf(answer?.text) }),
  })
}

/** Throws if the file was changed since it was read. */
async function writeTextFile(
  ctx: Context,
  asking: AgentRequest,
  input: { path: string; text: string; hash: string },
): Promise<{ hash: string }> {
  const shown = showRaw(input.path)
  const { state, hash } = await requestAgent(ctx, asking, {
    name: 'write-text',
    input,
    action: 'modify',
    object_type: 'file',
    describe: (answer) =>
      answer?.state === 'changed'
        ? `Failed to edit "${shown}": it was changed on the machine`
        : `Edited "${shown}" (${Buffer.byteLength(input.text)} B)`,
    keep: () => ({ shown_path: shown, path: input.path, ...bytesOf(input.text), hash_before: input.hash }),
  })
  if (state === 'changed')
    throw new AppError('changed_meanwhile', 'The file was changed on the machine. Reload it and try again.')
  return { hash }
}

function bytesOf(text: string | undefined): { bytes?: number } {
  return text === undefined ? {} : { bytes: Buffer.byteLength(text) }
}

interface FilesParts {
  fleet: Fleet
  hub: ChannelHub
  cookies: SessionCookies
}

export function filesRoutes(api: Api, ctx: Context, { fleet, hub, cookies }: FilesParts): void {
  uploadRoutes(api, { ctx, fleet, hub })
  route(api, listFolder, async ({ params, query: { path, after = null, search }, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = { input: { path, after, search }, author: caller.username }
    return fleet.ask(agent, 'list-folder', order)
  })
  route(api, readFileAccess, async ({ params, query: { path }, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return fleet.ask(agent, 'read-file-access', { input: { path }, author: caller.username })
  })
  route(api, changeFile, ({ params: { agent_id: agentId }, body, caller }) =>
    changeMachineFile(ctx, { fleet, caller, agentId }, body),
  )
  route(api, readText, ({ params: { agent_id: agentId }, query, caller }) =>
    readTextFile(ctx, { fleet, caller, agentId }, query.path),
  )
  route(api, writeText, ({ params: { agent_id: agentId }, body, caller }) =>
    writeTextFile(ctx, { fleet, caller, agentId }, body),
  )
  route(api, startDownload, async ({ params: { agent_id: agentId }, body, caller }) => {
    const agent = await requireAgent(ctx.db, agentId, caller)
    // Browsers do not explain a failed download.
    if (agent.connected === 0)
      throw new AppError('agent_offline', `${agent.hostname} is offline. Try again when it is connected.`)
    const { session } = caller
    if (session === undefined) throw new AppError('not_allowed', 'Downloads require a signed-in user.')
    return writeDownloadUrl(ctx, { session, agentId, ...body })
  })
  api.fastify.get(
    DOWNLOAD_PATH,
    {
      exposeHeadRoute: false,
      // Sent as it arrives, at once and with its length.
      compress: false,
      config: { summary: 'A file of a machine, or a folder as an archive. The POST creates the address' },
    },
    async (request, reply) => {
      const redeemed = await redeemDownload(ctx, cookies, request)
      return sendDownload({ ctx, fleet, hub }, redeemed, { request, reply })
    },
  )
}

const BytesParams = z.object({ agent_id: AgentId, upload: UploadId })

function uploadRoutes(api: Api, parts: FileParts): void {
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
  // A separate plugin, because its body is not JSON and is streamed.
  void api.fastify.register(async (bytes) => {
    bytes.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))
    bytes.put(
      UPLOAD_BYTES_PATH,
      {
        bodyLimit: MAX_UPLOAD_BYTES,
        config: {
          summary: 'Bytes of an upload (application/octet-stream), appended at `offset`',
        },
      },
      async (request, reply) => {
        const caller = await api.authenticate(request, reply)
        if (caller === undefined) throw new AppError('not_signed_in', 'Sign in first.')
        refusePending(caller)
        if (!mayDo(caller, 'can_manage_files'))
          throw new AppError('not_allowed', 'Your role does not allow this (can_manage_files).')
        const params = BytesParams.safeParse(request.params)
        const query = UploadBytesQuery.safeParse(request.query)
        if (!params.success || !query.success || request.body === undefined)
          throw new AppError('invalid', 'The address of this upload is not valid.')
        if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) throw tooMuch()
        const { agent_id: agentId, upload } = params.data
        // As provided by the parser above: a stream of buffers without an encoding.
        const stream = request.body as Readable
        const isBounded = request.headers['content-length'] !== undefined
        const body: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: !isBounded })
        try {
          return await sendBytes(parts, { caller, agentId }, { ...query.data, upload, body })
        } finally {
          // Unread data of a refused body would break the connection, possibly before the response.
          if (isBounded) stream.resume()
        }
      },
    )
  })
}
