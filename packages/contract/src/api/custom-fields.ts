import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { CustomFieldModel, CustomFieldType } from '../custom-field-values.ts'
import { IdParams, Nothing } from '../fields.ts'

const Option = z.string().trim().min(1, 'A choice must not be empty.').max(255)

/** A custom field of clients, sites or machines. */
export const CustomField = z.object({
  id: z.int(),
  /** Position among the fields of its model, from 0. */
  order: z.int().min(0).max(100_000),
  model: CustomFieldModel,
  type: CustomFieldType,
  /** Choices of `single` and `multiple`. */
  options: z.array(Option).max(200),
  /** Unique within its model. Scripts use it as `{{agent.name}}`. */
  name: z
    .string()
    .trim()
    .min(1, 'A name is needed.')
    .max(100, 'A name has at most 100 characters.')
    .regex(/^[^{}\p{Cc}]*$/u, 'A name holds no braces: scripts write {{agent.name}}.'),
  required: z.boolean(),
  default_value_string: z.string().max(10_000),
  default_value_bool: z.boolean(),
  default_values_multiple: z.array(Option).max(200),
  hide_in_ui: z.boolean(),
  hide_in_summary: z.boolean(),
  modified: z.string(),
})
export type CustomField = z.infer<typeof CustomField>

const { shape } = CustomField

export const listCustomFields = endpoint({
  method: 'GET',
  path: '/core/customfields/',
  access: 'can_view_customfields',
  summary: 'List custom fields of clients, sites and machines in order',
  query: z.object({ model: CustomFieldModel.optional() }),
  response: z.array(CustomField),
})

export const listModelFields = endpoint({
  method: 'PATCH',
  path: '/core/customfields/',
  access: 'can_view_customfields',
  summary: 'List custom fields of one model',
  body: z.object({ model: CustomFieldModel }),
  response: z.array(CustomField),
})

export const getCustomField = endpoint({
  method: 'GET',
  path: '/core/customfields/:id/',
  access: 'can_view_customfields',
  summary: 'Get one custom field',
  params: IdParams,
  response: CustomField,
})

export const createCustomField = endpoint({
  method: 'POST',
  path: '/core/customfields/',
  access: 'can_manage_customfields',
  summary: 'Add a custom field; it becomes the last of its model',
  body: z.object({
    model: shape.model,
    type: shape.type,
    name: shape.name,
    options: shape.options.default([]),
    required: z.boolean().default(false),
    default_value_string: shape.default_value_string.default(''),
    default_value_bool: z.boolean().default(false),
    default_values_multiple: shape.default_values_multiple.default([]),
    hide_in_ui: z.boolean().default(false),
    hide_in_summary: z.boolean().default(false),
  }),
  response: CustomField,
})

export const editCustomField = endpoint({
  method: 'PUT',
  path: '/core/customfields/:id/',
  access: 'can_manage_customfields',
  summary:
    'Change a custom field, not its model or type; `order` moves it. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: CustomField.omit({ id: true }).partial(),
  volatile: [],
  response: CustomField,
})

export const deleteCustomField = endpoint({
  method: 'DELETE',
  path: '/core/customfields/:id/',
  access: 'can_manage_customfields',
  summary: 'Delete a custom field with all its values',
  params: IdParams,
  response: Nothing,
})
