import { listPolicies } from '@muster/contract/api/policies'
import { query } from '../../app/api/api.ts'

export const policiesQuery = query(listPolicies, { query: {} })
