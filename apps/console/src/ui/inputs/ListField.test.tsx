import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../test-render.ts'
import { ListField } from './ListField.tsx'

function TestField({ start }: { start: string[] }) {
  const [values, setValues] = useState(start)
  return (
    <MantineProvider>
      <ListField
        label="Variables"
        noun="variable"
        values={values}
        onChange={setValues}
        check={(value) => (value === '' || value.includes('=') ? null : 'Write NAME=value.')}
      />
      <output>{JSON.stringify(values)}</output>
    </MantineProvider>
  )
}

async function openField(start: string[] = []) {
  const screen = await render(<TestField start={start} />)
  return {
    screen,
    line: (place: number) => screen.getByRole('textbox', { name: `Variables ${place}` }),
    expectValues: (values: string[]) =>
      expect.element(screen.getByRole('status')).toHaveTextContent(JSON.stringify(values)),
  }
}

test('lines are written one after the other with Enter', async () => {
  const { screen, line, expectValues } = await openField()
  await screen.getByRole('button', { name: 'Add variable' }).click()
  await expect.element(line(1)).toHaveFocus()
  await userEvent.keyboard('A=1{Enter}B=two words')
  await expectValues(['A=1', 'B=two words'])
})

test('Enter in the middle adds a line there', async () => {
  const { line, expectValues } = await openField(['A=1', 'C=3'])
  await line(1).click()
  await userEvent.keyboard('{Enter}')
  await expect.element(line(2)).toHaveFocus()
  await userEvent.keyboard('B=2')
  await expectValues(['A=1', 'B=2', 'C=3'])
})

test('Backspace takes an empty line away and goes to the one above; a full one it leaves', async () => {
  const { line, expectValues } = await openField(['A=1', ''])
  await line(2).click()
  await userEvent.keyboard('{Backspace}')
  await expectValues(['A=1'])
  await expect.element(line(1)).toHaveFocus()
  await userEvent.keyboard('{End}{Backspace}')
  await expectValues(['A='])
})

test('each line has a button that removes it', async () => {
  const { screen, expectValues } = await openField(['A=1', 'B=2'])
  await screen.getByRole('button', { name: 'Remove variable 1' }).click()
  await expectValues(['B=2'])
})

test('errors are shown at their line', async () => {
  const { screen, line } = await openField(['A=1', 'wrong'])
  await expect.element(screen.getByText('Write NAME=value.')).toBeVisible()
  await expect.element(line(2)).toBeInvalid()
  await expect.element(line(1)).toBeValid()
})
