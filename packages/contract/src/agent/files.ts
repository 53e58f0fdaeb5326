import { z } from 'zod'

/** Without padding: groups of four characters, and at the end two or three, never one. */
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2,3})?$/

/**
 * Bytes of a full path as base64url, because names may contain any bytes. Starts with `/`, or on Windows with a drive:
 * `C:\Users`.
 */
export const RawPath = z.string().min(1).max(5500).regex(BASE64URL, 'A path must be base64url.')
/** Bytes of one name as base64url. */
export const RawName = z.string().min(1).max(344).regex(BASE64URL, 'A name must be base64url.')
/** The root folder; on Windows the list of drives. */
export const ROOT_PATH = 'Lw'

export const FileKind = z.enum(['file', 'folder', 'link', 'device', 'pipe', 'socket', 'other', 'drive'])
export type FileKind = z.infer<typeof FileKind>
/** Attributes of Windows. */
export const FileAttribute = z.enum(['read-only', 'hidden', 'system', 'compressed', 'encrypted', 'offline'])
export type FileAttribute = z.infer<typeof FileAttribute>
export const FileMode = z.int().min(0).max(0o7777)

/** An entry of a folder. `name` and `target` are display texts: invalid UTF-8 is replaced. */
export const FileEntry = z.object({
  /** For a drive of Windows, its path. */
  raw: RawName,
  name: z.string().max(255),
  kind: FileKind,
  /** For a drive, its total size. */
  size: z.number().min(0),
  /** Milliseconds since 1970. */
  modified_ms: z.number(),
  /** Null on Windows, which has attributes and access lists instead. */
  mode: FileMode.nullable(),
  /** Null = not on Windows. */
  attributes: z.array(FileAttribute).nullable().default(null),
  owner: z.string().max(64),
  /** Empty on Windows. */
  group: z.string().max(64),
  /** For a link: its target and the type of it; null = broken. */
  target: z.object({ path: z.string().max(300), kind: FileKind.nullable() }).nullable(),
  /** Why it could not be described; size, time, rights and owner mean nothing then. */
  problem: z.string().max(200).optional(),
})
export type FileEntry = z.infer<typeof FileEntry>

export const MAX_LISTED_ENTRIES = 500

/** A part of a folder. Folders first, then sorted by bytes. */
export const FolderPart = z.object({
  /** With links resolved: later requests use this path, so that no link is followed in between. */
  path: RawPath,
  shown_path: z.string().max(4096),
  entries: z.array(FileEntry).max(MAX_LISTED_ENTRIES),
  /** Number of names that match the search. */
  total: z.int().min(0),
  /** `after` of the next part; null = the end. */
  next: z.string().max(400).nullable(),
})
export type FolderPart = z.infer<typeof FolderPart>

/** Rights in an entry of an access list, as Windows names them. */
export const FileRight = z.enum(['full', 'modify', 'read-execute', 'read', 'write', 'special'])
export type FileRight = z.infer<typeof FileRight>
export const MAX_ACCESS_ENTRIES = 500

/** The owner and the access list of a file or folder of Windows. */
export const FileAccess = z.object({
  owner: z.string().max(300),
  /** Whether it also has the entries of its folder. */
  inherits: z.boolean(),
  /** In their order, which counts. Null = no list: everyone may do everything. */
  entries: z
    .array(
      z.object({
        name: z.string().max(300),
        allowed: z.boolean(),
        rights: z.array(FileRight),
        inherited: z.boolean(),
        /** To the folder alone, to it and what is in it, or only to what is in it. */
        applies: z.enum(['this', 'all', 'below']),
      }),
    )
    .max(MAX_ACCESS_ENTRIES)
    .nullable(),
})
export type FileAccess = z.infer<typeof FileAccess>

/** The task of a file channel. */
export const FileTask = z.discriminatedUnion('task', [
  /** The file's bytes from `offset` on; from 0 if `version` no longer matches. */
  z.object({
    task: z.literal('read'),
    path: RawPath,
    offset: z.int().min(0),
    version: z.string().max(100).nullable(),
  }),
  /** The file or folder as a compressed tar archive. */
  z.object({ task: z.literal('archive'), path: RawPath }),
])
export type FileTask = z.infer<typeof FileTask>

/** The first message of a file channel. */
export const FileNews = z.object({
  type: z.literal('sending'),
  name: z.string().max(255),
  /** Total size; null = unknown. */
  size: z.number().min(0).nullable(),
  /** Offset of the first byte. */
  offset: z.number().min(0),
  /** Changes with the file. */
  version: z.string().max(100),
})
export type FileNews = z.infer<typeof FileNews>

/** A change in a folder. Links on the way are never followed. */
export const FileChange = z.discriminatedUnion('change', [
  z.object({ change: z.literal('make-folder'), path: RawPath }),
  /** Never overwrites. */
  z.object({ change: z.literal('move'), path: RawPath, to: RawPath }),
  /** With everything in it. */
  z.object({ change: z.literal('delete'), path: RawPath }),
  z.object({ change: z.literal('set-mode'), path: RawPath, mode: FileMode }),
])
export type FileChange = z.infer<typeof FileChange>

export const MAX_TEXT_BYTES = 256 * 1024
/** SHA-256, hex. */
export const FileHash = z.string().regex(/^[\da-f]{64}$/)
export const TextFile = z.object({
  /** With links resolved. */
  path: RawPath,
  text: z.string().max(MAX_TEXT_BYTES),
  hash: FileHash,
})
export type TextFile = z.infer<typeof TextFile>
/** `changed`: the file has changed meanwhile, and was not written. */
export const WrittenText = z.object({ state: z.enum(['written', 'changed']), hash: FileHash })
export type WrittenText = z.infer<typeof WrittenText>

/** Names or numbers: `web`, `web:www-data`, `0:0`. */
export const FileOwner = z
  .string()
  .max(130)
  .regex(/^[^\s:/-][^\s:/]*(?::[^\s:/-][^\s:/]*)?$/, 'Write user or user:group.')

/** The state of a text file before it is written. `other`: its content is too large, or no text. */
export const FoundText = z.discriminatedUnion('state', [
  z.object({ state: z.literal('missing') }),
  z.object({ state: z.literal('other'), reason: z.string().max(500) }),
  z.object({
    state: z.literal('text'),
    text: z.string().max(MAX_TEXT_BYTES),
    hash: FileHash,
    /** Null on Windows. The owner as numbers. */
    mode: FileMode.nullable(),
    owner: FileOwner.nullable(),
  }),
])
export type FoundText = z.infer<typeof FoundText>

/** Links above the file are followed; its folder must exist. */
export const PutText = z.object({
  path: RawPath,
  /** Null = delete the file. */
  text: z.string().max(MAX_TEXT_BYTES).nullable(),
  /** The hash that the file must still have; null = it must not exist; absent = in any state. */
  hash: FileHash.nullable().optional(),
  /** Null = unchanged; for a new file 0644, and the user of the agent. Not on Windows. */
  mode: FileMode.nullable(),
  owner: FileOwner.nullable(),
})
export type PutText = z.infer<typeof PutText>
/** `changed`: it no longer is in the expected state, and was not written. */
export const PutResult = z.object({ state: z.enum(['written', 'changed']) })
export type PutResult = z.infer<typeof PutResult>

/** An upload has a number; its bytes are in a temporary file beside the final one. */
export const UploadId = z.uuid()
/** Size of the parts that are hashed. The hash of an upload is the SHA-256 of the SHA-256 of each part, in order. */
export const HASH_PART_BYTES = 1024 * 1024

export const UploadTask = z.discriminatedUnion('task', [
  /** Appends the channel's bytes. `offset` must be the current size. */
  z.object({ task: z.literal('write'), path: RawPath, upload: UploadId, offset: z.int().min(0) }),
  /** Gives a complete upload its final name. Without a hash only the size is checked. */
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

/**
 * Status of an upload: ready for bytes; all received bytes are on disk; or its hash is being compared, which can take
 * minutes. `size` is the current size.
 */
export const UploadNews = z.object({
  type: z.enum(['ready', 'written', 'finishing']),
  size: z.number().min(0),
})
export type UploadNews = z.infer<typeof UploadNews>
/** Marks the end of the bytes. */
export const UploadInput = z.object({ type: z.literal('done') })
