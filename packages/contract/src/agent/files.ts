import { z } from 'zod'

/** Without padding: groups of four characters, and at the end two or three, never one. */
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2,3})?$/

/** Bytes of a whole path, base64url: names on a machine may be any bytes. It begins with `/`. */
export const RawPath = z.string().min(1).max(5500).regex(BASE64URL, 'A path is base64url.')
/** Bytes of one name, base64url. */
export const RawName = z.string().min(1).max(344).regex(BASE64URL, 'A name is base64url.')
/** The folder that everything is in. */
export const ROOT_PATH = 'Lw'

export const FileKind = z.enum(['file', 'folder', 'link', 'device', 'pipe', 'socket', 'other'])
export type FileKind = z.infer<typeof FileKind>
export const FileMode = z.int().min(0).max(0o7777)

/** Something in a folder. `name` and `target` are for people: what is no text in them is replaced. */
export const FileEntry = z.object({
  raw: RawName,
  name: z.string().max(255),
  kind: FileKind,
  size: z.number().min(0),
  /** Milliseconds since 1970. */
  modified_ms: z.number(),
  mode: FileMode,
  owner: z.string().max(64),
  group: z.string().max(64),
  /** Of a link: where it leads, and to what; null = to nothing. */
  target: z.object({ path: z.string().max(300), kind: FileKind.nullable() }).nullable(),
})
export type FileEntry = z.infer<typeof FileEntry>

export const MOST_LISTED = 500

/** A part of a folder. Folders come first, each kind in the order of its bytes. */
export const FolderPart = z.object({
  /** Without links: later orders name this path, so that no link is followed in between. */
  path: RawPath,
  shown_path: z.string().max(4096),
  entries: z.array(FileEntry).max(MOST_LISTED),
  /** How many fit the search in all. */
  total: z.int().min(0),
  /** `after` of the next part; null = this is the last. */
  next: z.string().max(400).nullable(),
})
export type FolderPart = z.infer<typeof FolderPart>

/** What a channel of the tool `files` is opened for. */
export const FileTask = z.discriminatedUnion('task', [
  /** The file's bytes from `offset` on; from 0 when it is no longer the one that `version` names. */
  z.object({
    task: z.literal('read'),
    path: RawPath,
    offset: z.int().min(0),
    version: z.string().max(100).nullable(),
  }),
  /** The file or folder as a tar archive, compressed. */
  z.object({ task: z.literal('archive'), path: RawPath }),
])
export type FileTask = z.infer<typeof FileTask>

/** The first message of a channel of the tool `files`. */
export const FileNews = z.object({
  type: z.literal('sending'),
  name: z.string().max(255),
  /** All of the file; null = nobody knows beforehand. */
  size: z.number().min(0).nullable(),
  /** Where the bytes begin that follow. */
  offset: z.number().min(0),
  /** Another one when the file has changed. */
  version: z.string().max(100),
})
export type FileNews = z.infer<typeof FileNews>

/** A change of one thing in a folder. No link on the way to it is followed. */
export const FileChange = z.discriminatedUnion('change', [
  z.object({ change: z.literal('make-folder'), path: RawPath }),
  /** Never onto something that is there. */
  z.object({ change: z.literal('move'), path: RawPath, to: RawPath }),
  /** With everything in it. */
  z.object({ change: z.literal('delete'), path: RawPath }),
  z.object({ change: z.literal('set-mode'), path: RawPath, mode: FileMode }),
])
export type FileChange = z.infer<typeof FileChange>

export const MOST_TEXT_BYTES = 256 * 1024
/** SHA-256, hex. */
export const FileHash = z.string().regex(/^[\da-f]{64}$/)
export const TextFile = z.object({
  /** Without links. */
  path: RawPath,
  text: z.string().max(MOST_TEXT_BYTES),
  hash: FileHash,
})
export type TextFile = z.infer<typeof TextFile>
/** `changed`: somebody else has written it meanwhile; nothing was done. */
export const WrittenText = z.object({ state: z.enum(['written', 'changed']), hash: FileHash })
export type WrittenText = z.infer<typeof WrittenText>

/** An upload is known by a number; its bytes wait in a file beside the one that they become. */
export const UploadId = z.uuid()
/** Bytes of each part whose SHA-256 the hash of an upload is made of: the SHA-256 of all of them in a row. */
export const HASH_PART_BYTES = 1024 * 1024

export const UploadTask = z.discriminatedUnion('task', [
  /** The channel's bytes go behind those that are there, which have to be `offset`. */
  z.object({ task: z.literal('write'), path: RawPath, upload: UploadId, offset: z.int().min(0) }),
  /** It takes its name, when it is whole. Without a hash only its size is looked at. */
  z.object({
    task: z.literal('finish'),
    path: RawPath,
    upload: UploadId,
    size: z.int().min(0),
    replace: z.boolean(),
    hash: FileHash.nullable(),
  }),
])
export type UploadTask = z.infer<typeof UploadTask>

/** What a machine tells of an upload: it is ready for bytes, or all that came are on its disk. `size` is there now. */
export const UploadNews = z.object({ type: z.enum(['ready', 'written']), size: z.number().min(0) })
export type UploadNews = z.infer<typeof UploadNews>
/** What it is told: no more bytes come. */
export const UploadInput = z.object({ type: z.literal('done') })
