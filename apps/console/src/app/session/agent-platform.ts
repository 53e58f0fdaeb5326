import type { Platform } from '@muster/contract/fields'
import { createStore } from './store.ts'

/** Platform of the machine that was selected last; Windows before the first. New scripts and policy tasks start with its shell. */
export const agentPlatform = createStore<Platform>('windows')
