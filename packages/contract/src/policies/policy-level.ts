import { POLICY_LEVELS } from '@muster/rules/policies/policy-chain'
import { z } from 'zod'

/** Where a policy is assigned. */
export const PolicyLevel = z.enum(POLICY_LEVELS)
export type PolicyLevel = z.infer<typeof PolicyLevel>
