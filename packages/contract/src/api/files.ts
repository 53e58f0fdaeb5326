import { z } from 'zod'
import {
  FileAccess,
  FileChange,
  FileHash,
  FolderPart,
  MAX_TEXT_BYTES,
  RawPath,
  ROOT_PATH,
  TextFile,
  UploadId,
} from '../agent/files.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Nothing } from '../fields.ts'

export const listFolder = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/files/',
  access: 'can_manage_files',
  summary: 'List a folder of a machine in parts: `after` is the `next` of the previous part',
  params: AgentParams,
  query: z.object({
    path: RawPath.default(ROOT_PATH),
    after: z.string().max(400).optional(),
    search: z.string().max(255).default(''),
  }),
  response: FolderPart,
})

/** Download URL; its ticket is valid for this session and file only. */
export const DOWNLOAD_PATH = '/agents/:agent_id/files/download/'

export const startDownload = endpoint({
  method: 'POST',
  path: DOWNLOAD_PATH,
  access: 'can_manage_files',
  summary: 'Get a download URL for a file of a machine, or a folder as an archive, valid for an hour',
  params: AgentParams,
  body: z.object({ path: RawPath, archive: z.boolean().default(false) }),
  response: z.object({ url: z.string(), expires_at: z.iso.datetime() }),
})

export const changeFile = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/files/change/',
  access: 'can_manage_files',
  summary:
    'Create a folder, move, rename, delete recursively or set permissions; returns the number of affected entries',
  params: AgentParams,
  body: FileChange,
  response: z.object({ count: z.int() }),
})

export const readText = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/files/text/',
  access: 'can_manage_files',
  summary: 'Get a small text file, with the hash that a later write needs',
  params: AgentParams,
  query: z.object({ path: RawPath.default(ROOT_PATH) }),
  response: TextFile,
})

export const readFileAccess = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/files/access/',
  access: 'can_manage_files',
  summary: 'Get the owner and the access list of a file or folder of a Windows machine',
  params: AgentParams,
  query: z.object({ path: RawPath.default(ROOT_PATH) }),
  response: FileAccess,
})

export const writeText = endpoint({
  method: 'PUT',
  path: '/agents/:agent_id/files/text/',
  access: 'can_manage_files',
  summary: 'Replace a small text file; refused as changed_meanwhile if it has changed since it was read',
  params: AgentParams,
  body: z.object({ path: RawPath, text: z.string().max(MAX_TEXT_BYTES), hash: FileHash }),
  response: z.object({ hash: FileHash }),
})

const UploadParams = AgentParams.extend({ upload: UploadId })
const UploadSize = z.object({ size: z.number() })

export const beginUpload = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/files/uploads/',
  access: 'can_manage_files',
  summary: 'Start an upload; its bytes are sent in pieces, and it gets its name when it is complete',
  params: AgentParams,
  body: z.object({ path: RawPath, size: z.int().min(0), replace: z.boolean().default(false) }),
  response: z.object({ upload: UploadId }),
})

export const lookAtUpload = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/files/uploads/:upload/',
  access: 'can_manage_files',
  summary: 'Get the number of bytes of an upload on the machine, to continue from there',
  params: UploadParams,
  query: z.object({ path: RawPath.default(ROOT_PATH) }),
  response: UploadSize,
})

export const finishUpload = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/files/uploads/:upload/',
  access: 'can_manage_files',
  summary: 'Finish an upload, if it is complete and its hash matches',
  params: UploadParams,
  body: z.object({
    path: RawPath,
    size: z.int().min(0),
    replace: z.boolean().default(false),
    hash: FileHash.nullable(),
  }),
  response: Nothing,
})

export const dropUpload = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/files/uploads/:upload/',
  access: 'can_manage_files',
  summary: 'Cancel an upload and remove its bytes',
  params: UploadParams,
  query: z.object({ path: RawPath.default(ROOT_PATH) }),
  response: Nothing,
})

/**
 * `PUT` of bytes (application/octet-stream), appended at `offset`, which must be the current size; returns `size`.
 */
export const UPLOAD_BYTES_PATH = '/agents/:agent_id/files/uploads/:upload/bytes/'
export const UploadBytesQuery = z.object({ path: RawPath, offset: z.coerce.number().int().min(0) })
/** Maximum bytes of one `PUT`. */
export const MAX_UPLOAD_BYTES = 16 * 1024 * 1024
export const UploadBytesResponse = UploadSize
