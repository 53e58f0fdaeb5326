import { test } from '@playwright/test'
import { buildPrograms } from '../support/build.ts'

test('the console and the agent are built from these sources', () => {
  test.setTimeout(180_000)
  buildPrograms()
})
