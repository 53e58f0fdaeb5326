import { listAgents } from '@muster/contract/api/agents'
import { type Comparison, compareMachines } from '@muster/contract/api/metrics'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const [ONE, TWO] = ['alpha0000000', 'bravo0000000'] as const
const graph = () => page.getByRole('slider', { name: 'Processor of 2 machines over time' })

function testLine(agent_id: string, hostname: string, values: number[]): Comparison['lines'][number] {
  const end = Math.floor(Date.now() / 1000) - 30
  return {
    agent_id,
    hostname,
    check: null,
    resolution: 0,
    points: values.map((value, index) => [end - (values.length - 1 - index) * 60, value, value, value]),
  }
}

async function given() {
  const { server, open } = await givenDashboard({})
  server.on(compareMachines, ({ search }) => {
    const asked = (search.get('agents') ?? '').split(',')
    if (asked.length > 10) return refuse('invalid', 'At most 10 machines can be compared.')
    const lines = [testLine(ONE, 'PC-1', [10, 20, 30.456]), testLine(TWO, 'PC-2', [50, 40, 35])]
    return answer(compareMachines, {
      unit: '%',
      lines: lines.filter(({ agent_id }) => asked.includes(agent_id)),
      choices: [
        { what: 'cpu', series: 'cpu', check: null },
        { what: 'memory', series: 'memory', check: null },
      ],
    })
  })
  return { server, open }
}

test('two machines are two lines, read together by keyboard, and each can be hidden', async () => {
  const { open } = await given()
  const { at } = await open(`/?dialog=compare&item=cpu&filter=1h,${ONE}.${TWO}`)
  await expect.element(graph()).toBeVisible()
  graph().element().focus()
  await userEvent.keyboard('{End}')
  await expect
    .element(graph())
    .toHaveAttribute('aria-valuetext', expect.stringMatching(/: PC-1 30.46 %, PC-2 35 %$/))
  const legend = page.getByRole('button', { name: 'PC-2' })
  await expect.element(legend).toHaveAttribute('aria-pressed', 'true')
  legend.element().focus()
  await userEvent.keyboard(' ')
  await expect.element(legend).toHaveAttribute('aria-pressed', 'false')
  await expect.element(graph()).toHaveAttribute('aria-valuetext', expect.stringMatching(/: PC-1 30.46 %$/))
  graph().element().focus()
  await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}')
  await expect.poll(at).toMatch(/filter=\d+-\d+(,|%2C)alpha/)
})

test('the metric, the machines and the table are in the address', async () => {
  const { server, open } = await given()
  const { at } = await open('/?dialog=compare')
  await expect.element(page.getByText('Choose machines to compare.', { exact: false })).toBeVisible()
  const machines = page.getByRole('combobox', { name: 'Machines' })
  await machines.click()
  await page.getByRole('option').first().click()
  await userEvent.keyboard('{Escape}')
  await expect.poll(at).toMatch(/filter=24h(,|%2C)\w+/)
  expect(server.calls(listAgents).length).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Table' }).click()
  await expect.poll(at).toMatch(/table/)
})

test('more than ten machines are refused with a sentence', async () => {
  const { open } = await given()
  const many = Array.from({ length: 11 }, (_, index) => `machine${String(index).padStart(4, '0')}`)
  await open(`/?dialog=compare&item=cpu&filter=24h,${many.join('.')}`)
  await expect.element(page.getByText('Maximum: 10 machines. Remove one to add another.')).toBeVisible()
})
