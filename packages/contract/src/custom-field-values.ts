import { z } from 'zod'
import { Id } from './fields.ts'

export const CustomFieldModel = z.enum(['client', 'site', 'agent'])
export type CustomFieldModel = z.infer<typeof CustomFieldModel>

export const CustomFieldType = z.enum(['text', 'number', 'single', 'multiple', 'checkbox', 'datetime'])
export type CustomFieldType = z.infer<typeof CustomFieldType>

/**
 * Values as they are sent: `{field, multiple_value}` for a multiple field, `{field, bool_value}` for a checkbox,
 * `{field, string_value}` for others; or `{field, value}` as in responses. An empty value is removed; fields that
 * are not named stay unchanged.
 */
export const CustomFieldPayloads = z
  .array(
    z.object({
      field: Id,
      multiple_value: z.array(z.string().max(255)).max(200).optional(),
      bool_value: z.boolean().optional(),
      string_value: z.string().max(10_000).optional(),
      value: z.union([z.string().max(10_000), z.boolean(), z.array(z.string().max(255)).max(200)]).optional(),
    }),
  )
  .max(500)
export type CustomFieldPayloads = z.infer<typeof CustomFieldPayloads>

/** A value of a client, site or machine. */
export const CustomFieldValue = z.object({
  id: z.int(),
  field: z.int(),
  value: z.union([z.string(), z.boolean(), z.array(z.string())]),
})
export type CustomFieldValue = z.infer<typeof CustomFieldValue>

/** The same with its definition for display. */
export const NamedFieldValue = CustomFieldValue.extend({
  name: z.string(),
  type: CustomFieldType,
  hide_in_summary: z.boolean(),
})
export type NamedFieldValue = z.infer<typeof NamedFieldValue>
