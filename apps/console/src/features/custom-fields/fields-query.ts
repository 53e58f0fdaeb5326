import { listCustomFields } from '@muster/contract/api/custom-fields'
import { query } from '../../app/api/api.ts'

/** Fields of all three models: few, and used by several dialogs. */
export const fieldsQuery = query(listCustomFields, { query: {} })
