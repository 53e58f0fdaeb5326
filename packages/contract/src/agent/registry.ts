import { z } from 'zod'

/** Limit for keys and values of one reply. */
export const REGISTRY_PAGE = 200
/** Bytes of each value that are listed with its key. */
export const PREVIEW_BYTES = 256
/** Limit for reading and writing a value. */
export const MAX_VALUE_BYTES = 1024 * 1024

const noNul = (text: string) => !text.includes('\0')
/** Backslashes between names: `HKEY_LOCAL_MACHINE\SOFTWARE`, or `HKLM\SOFTWARE`; empty = the roots. */
export const RegistryPath = z.string().max(4000).refine(noNul, 'A path must not contain NUL.')
export const KeyName = z
  .string()
  .min(1, 'A name is required.')
  .max(255, 'At most 255 characters.')
  .refine((name) => noNul(name) && !name.includes('\\'), 'A key name must not contain a backslash.')
/** Empty = the default value. */
export const ValueName = z.string().max(16_383).refine(noNul, 'A name must not contain NUL.')
/** Any bytes, as base64. */
const Bytes = z.base64()
const Type = z.int().min(0).max(0xff_ff_ff_ff)
const Position = z.int().min(0).max(100_000_000)

/** A value with the start of its data. */
export const RegistryValue = z.object({
  name: z.string().max(16_384),
  /** As numbered by Windows: 1 = REG_SZ, see packages/rules, registry-value. */
  type: Type,
  /** Total size in bytes. */
  size: z.int().min(0),
  bytes: Bytes.max(PREVIEW_BYTES * 2),
})
export type RegistryValue = z.infer<typeof RegistryValue>

export const RegistryPage = z.object({
  path: z.string().max(5000),
  subkeys: z.array(z.object({ name: z.string().max(256), has_subkeys: z.boolean() })).max(REGISTRY_PAGE),
  values: z.array(RegistryValue).max(REGISTRY_PAGE),
  /** Next position; null = the end. */
  next_keys: Position.nullable(),
  next_values: Position.nullable(),
  key_count: Position,
  value_count: Position,
})
export type RegistryPage = z.infer<typeof RegistryPage>

/** A whole value; `bytes` null = too large to read. */
export const WholeValue = z.object({
  type: Type,
  size: z.int().min(0),
  bytes: Bytes.max(MAX_VALUE_BYTES * 2).nullable(),
})
export type WholeValue = z.infer<typeof WholeValue>

/** A value that may be missing. `missing_keys`: keys at the end of the path that do not exist. */
export const FoundValue = z.object({ value: WholeValue.nullable(), missing_keys: z.int().min(0).max(4000) })
export type FoundValue = z.infer<typeof FoundValue>

export const RegistryPosition = z.object({ path: RegistryPath, keys_from: Position, values_from: Position })
export const ValuePosition = z.object({ path: RegistryPath, name: ValueName })

export const RegistryChange = z.discriminatedUnion('change', [
  z.object({ change: z.literal('create-key'), path: RegistryPath }),
  z.object({ change: z.literal('rename-key'), path: RegistryPath, new_name: KeyName }),
  /** With all its subkeys and values. */
  z.object({ change: z.literal('delete-key'), path: RegistryPath }),
  /** `is_new`: refused if the name exists. */
  z.object({
    change: z.literal('set-value'),
    ...ValuePosition.shape,
    type: Type,
    bytes: Bytes.max(MAX_VALUE_BYTES * 2),
    is_new: z.boolean(),
  }),
  z.object({ change: z.literal('rename-value'), ...ValuePosition.shape, new_name: ValueName }),
  z.object({ change: z.literal('delete-value'), ...ValuePosition.shape }),
])
export type RegistryChange = z.infer<typeof RegistryChange>

/** The previous value, if one was changed. */
export const RegistryChanged = z.object({ before: WholeValue.nullable() })
export type RegistryChanged = z.infer<typeof RegistryChanged>
