import { expect, test } from 'vitest'
import { findForbiddenImports, findUpwardImports } from './import-rules.ts'

const problems = (path: string, text: string) => findForbiddenImports([{ path, text }])

test.each([
  ['packages/rules/src/a.ts', "import { z } from 'zod'"],
  ['packages/rules/src/a.ts', "import { readFileSync } from 'node:fs'"],
  ['packages/rules/src/a.ts', "import type { Api } from '@muster/contract/endpoint'"],
  ['packages/contract/src/a.ts', "import { readFileSync } from 'node:fs'"],
  ['packages/contract/src/a.ts', "import {\n  useState,\n} from 'react'"],
  ['packages/contract/src/api/a.ts', "import { b } from '../../../../apps/server/src/b.ts'"],
  ['packages/contract/src/a.ts', "const b = await import('kysely')"],
  ['packages/fake-agent/src/a.ts', "import { b } from '@muster/server/app.ts'"],
  ['packages/fake-agent/src/a.ts', "import { b } from '../../rules/src/b.ts'"],
  ['apps/server/src/platform/http/a.ts', "import { b } from '../../features/agents/b.ts'"],
  ['apps/server/src/platform/http/a.ts', "import type { Context } from '../../context.ts'"],
  ['apps/server/src/features/agents/a.ts', "import { b } from '@muster/console/app/b.ts'"],
  ['apps/server/src/features/agents/a.ts', "import { hooks } from '../../modules.ts'"],
  ['apps/server/src/fleet/a.ts', "import { b } from '../features/agents/b.ts'"],
  ['apps/server/src/fleet/a.ts', "import { b } from '../samples/b.ts'"],
  ['apps/server/src/samples/a.ts', "import { b } from '../features/checks/b.ts'"],
  ['apps/server/src/platform/http/a.ts', "import { b } from '../../fleet/b.ts'"],
  ['apps/server/src/features/agents/a.ts', "import { startFleet } from '@muster/fake-agent/fleet'"],
  ['apps/console/src/ui/a.tsx', "import { listAgents } from '@muster/contract/api/agents'"],
  ['apps/console/src/ui/a.tsx', "import { b } from '../features/agents/b.tsx'"],
  ['apps/console/src/app/a.ts', "import { b } from '../../../server/src/b.ts'"],
  ['apps/agent/src/a.ts', "import '../../server/src/b.ts'"],
  ['e2e/support/a.ts', "import { b } from '../../apps/server/src/b.ts'"],
  ['e2e/support/a.ts', "import { b } from '@muster/agent/link/b.ts'"],
  ['deploy/a.mjs', "import { b } from '../tools/b.ts'"],
])('%s: %s is refused', (path, text) => {
  expect(problems(path, text)).toHaveLength(1)
})

test.each([
  ['packages/rules/src/a.ts', "import { b } from './b.ts'"],
  ['packages/rules/src/a.test.ts', "import { expect } from 'vitest'"],
  ['packages/contract/src/api/a.ts', "import { z } from 'zod'\nimport { b } from '@muster/rules/b'"],
  ['packages/fake-agent/src/a.ts', "import { WebSocket } from 'ws'\nimport '@muster/contract/agent/link'"],
  ['apps/server/src/features/agents/a.ts', "import { b } from '../../platform/http/b.ts'"],
  ['apps/server/src/features/agents/a.ts', "import type { Context } from '../../context.ts'"],
  [
    'apps/server/src/features/agents/a.ts',
    "import { b } from '../../fleet/b.ts'\nimport { c } from '../../samples/c.ts'",
  ],
  [
    'apps/server/src/fleet/a.ts',
    "import { b } from '../platform/http/b.ts'\nimport type { Context } from '../context.ts'",
  ],
  ['apps/server/src/features/agents/a.test.ts', "import { startFleet } from '@muster/fake-agent/fleet'"],
  ['apps/console/src/features/agents/a.tsx', "import { b } from '../../ui/b.tsx'"],
  ['e2e/load/a.ts', "import { startFleet } from '@muster/fake-agent/fleet'"],
  ['apps/server/src/features/agents/a.ts', "// import { b } from '@muster/console/app/b.ts'"],
])('%s: %s is allowed', (path, text) => {
  expect(problems(path, text)).toEqual([])
})

test('a feature imports only features above it', () => {
  const modules = {
    path: 'apps/server/src/modules.ts',
    text: "export const FEATURES = ['clients', 'agents'] as const",
  }
  const agents = { path: 'apps/server/src/features/agents/a.ts', text: "import { b } from '../clients/b.ts'" }
  const clients = {
    path: 'apps/server/src/features/clients/b.ts',
    text: "import { c } from '../agents/c.ts'",
  }
  expect(findUpwardImports([modules, agents, clients])).toEqual([
    'clients/b.ts may not import agents/c.ts: it comes later in modules.ts',
  ])
  expect(findUpwardImports([modules, agents, { ...clients, text: '' }])).toEqual([])
  expect(findUpwardImports([modules, { path: 'apps/server/src/features/notes/a.ts', text: '' }])).toEqual([
    'modules.ts does not list notes',
    'modules.ts lists clients, which is no feature or twice there',
    'modules.ts lists agents, which is no feature or twice there',
  ])
})
