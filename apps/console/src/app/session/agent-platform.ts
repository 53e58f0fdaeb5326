import type { Platform } from '@muster/contract/fields'
import { createStore } from './store.ts'

/** Platform of the machine selected last; Windows by default. New scripts and policy tasks start with its shell. */
export const agentPlatform = createStore<Platform>('windows')
