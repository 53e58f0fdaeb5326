import { getRelatedToTemplate, listAlertTemplates } from '@muster/contract/api/alert-templates'
import { query } from '../../../app/api/api.ts'

export const templatesQuery = query(listAlertTemplates, {})
export const relatedQuery = (id: number) => query(getRelatedToTemplate, { params: { id } })
