import { createUser } from '@muster/contract/api/accounts'
import { createRole } from '@muster/contract/api/roles'
import type { Page } from '@playwright/test'
import { type Session, signIn } from './sign-in.ts'

const BEN = { username: 'ben', password: 'looks over a shoulder' }

/** Ben, who may open terminals and join those of others; signed in at the server of that address. */
export async function addColleague(admin: Session, url = admin.url): Promise<Session> {
  const { id: role } = await admin.call(createRole, {
    body: {
      name: 'Colleagues',
      can_list_clients: true,
      can_list_agents: true,
      can_use_terminal: true,
      can_join_terminals: true,
    },
  })
  await admin.call(createUser, { body: { ...BEN, first_name: 'Ben', role } })
  return signIn(url, BEN)
}

/** In a Remote Background window: chooses from the terminals of others. */
export async function joinTerminal(page: Page, choice: string): Promise<void> {
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.getByRole('menuitem', { name: choice }).click()
}
