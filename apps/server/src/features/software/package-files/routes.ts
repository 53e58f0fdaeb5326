import { timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { PackageFileOrder } from '@muster/contract/agent/package-files'
import { PushFile } from '@muster/contract/agent/push-file'
import {
  addPackageFilePart,
  createPackageFile,
  editPackageFile,
  finishPackageFile,
  listPackageFiles,
  removePackageFile,
} from '@muster/contract/api/package-files'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { FILE_ROUTE, sendFile } from '../../../platform/http/send-file.ts'
import {
  addPackageFile,
  addPart,
  changePackageFile,
  findPackageFiles,
  finishUpload,
  readRange,
  removePackageFile as removeFile,
} from './write-package-file.ts'

export function packageFileRoutes(api: Api, ctx: Context): void {
  route(api, listPackageFiles, () => findPackageFiles(ctx.db))
  route(api, createPackageFile, ({ body, caller }) => addPackageFile(ctx, caller, body))
  route(api, addPackageFilePart, async ({ params, body, caller }) => {
    await addPart(ctx, caller, { ...params, data: Buffer.from(body.data, 'base64') })
    return null
  })
  route(api, finishPackageFile, ({ params, caller }) => finishUpload(ctx, caller, params.id))
  route(api, editPackageFile, ({ params, body, caller }) =>
    changePackageFile(ctx, caller, { id: params.id, ...body }),
  )
  route(api, removePackageFile, async ({ params, caller }) => {
    await removeFile(ctx, caller, params.id)
    return null
  })

  // For agents: a file, so not an endpoint of the contract. The token is part of a signed command to one machine.
  const download = {
    ...FILE_ROUTE,
    config: { summary: 'A package file, for the machine that installs or gets it' },
  }
  api.fastify.get<{ Params: { id: string } }>(
    '/agent/package-files/:id',
    download,
    async (request, reply) => {
      const [, token = ''] = /^Bearer ([\w-]{20,100})$/.exec(request.headers.authorization ?? '') ?? []
      const file = await findDownload(ctx, Number(request.params.id), token)
      if (file === undefined)
        throw new AppError('not_found', 'This machine may not download the file, or its run has ended.')
      reply.header('cache-control', 'no-store')
      return sendFile(request, reply, {
        bytes: file.bytes,
        etag: `"${file.sha256}"`,
        read: (range) => Readable.from(readRange(ctx.db, file.id, range)),
      })
    },
  )
}

/** The file that a run installs or pushes. The token is forgotten with the input of the run when it ends. */
async function findDownload(ctx: Context, runId: number, token: string) {
  if (!Number.isSafeInteger(runId) || token === '') return undefined
  const run = await ctx.db
    .selectFrom('agent_history')
    .select(['command_name', 'command_input'])
    .where('id', '=', runId)
    .where('command_name', 'in', ['install-file', 'push-file'])
    .where('state', 'in', ['sent', 'accepted', 'running'])
    .executeTakeFirst()
  if (run === undefined || run.command_input === '') return undefined
  const Order = run.command_name === 'push-file' ? PushFile : PackageFileOrder
  const order = Order.parse(JSON.parse(ctx.secrets.decrypt(run.command_input)))
  const [given, wanted] = [Buffer.from(token), Buffer.from(order.token)]
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  return ctx.db
    .selectFrom('package_files')
    .select(['id', 'bytes', 'sha256'])
    .where('sha256', '=', order.sha256)
    .executeTakeFirst()
}
