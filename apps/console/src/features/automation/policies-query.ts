import { listPolicies } from '@muster/contract/api/automation'
import { query } from '../../app/api.ts'

export const policiesQuery = query(listPolicies, { query: {} })
