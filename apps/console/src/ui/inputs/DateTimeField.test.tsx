import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../test-render.ts'
import { DateTimeField } from './DateTimeField.tsx'

function Form({ start, isDay = false }: { start: string; isDay?: boolean }) {
  const [value, setValue] = useState(start)
  return (
    <MantineProvider>
      <DateTimeField label="Until" value={value} onChange={setValue} isDay={isDay} />
      <output>{value}</output>
      <button type="button">Elsewhere</button>
    </MantineProvider>
  )
}

const field = page.getByRole('textbox', { name: 'Until' })
const value = page.getByRole('status')

test('a date is shown in the default format, and typed in it or as ISO', async () => {
  await render(<Form start="2026-11-24T09:41" />)
  await expect.element(field).toHaveValue('Nov-24-2026 - 09:41')
  await field.fill('Dec-01-2026 - 18:30')
  await expect.element(value).toHaveTextContent('2026-12-01T18:30')
  await field.fill('2027-02-03 04:05')
  await page.getByRole('button', { name: 'Elsewhere' }).click()
  await expect.element(field).toHaveValue('Feb-03-2027 - 04:05')
  await field.fill('next week')
  await page.getByRole('button', { name: 'Elsewhere' }).click()
  await expect.element(field).toHaveValue('next week')
  await expect.element(value).toHaveTextContent('next week')
})

test('a day is chosen in the calendar, and the time of day stays', async () => {
  await render(<Form start="2026-11-24T18:30" />)
  await page.getByRole('button', { name: 'Open calendar' }).click()
  await page.getByRole('button', { name: '26 November 2026' }).click()
  await expect.element(value).toHaveTextContent('2026-11-26T18:30')
  await expect.element(page.getByRole('button', { name: 'Open calendar' })).toHaveFocus()
})

test('a day has no time of day', async () => {
  await render(<Form start="2026-11-24" isDay />)
  await expect.element(field).toHaveValue('Nov-24-2026')
  await page.getByRole('button', { name: 'Open calendar' }).click()
  await page.getByRole('button', { name: '30 November 2026' }).click()
  await expect.element(value).toHaveTextContent('2026-11-30')
  await expect.element(value).not.toHaveTextContent('T')
})
