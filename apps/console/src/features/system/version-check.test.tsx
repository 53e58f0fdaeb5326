import { beforeEach, expect, test } from 'vitest'
import { VERSION_KEY, isOtherVersion } from '../../app/shell/Banners.tsx'

beforeEach(() => localStorage.removeItem(VERSION_KEY))

test('the first version seen is kept', () => {
  expect(isOtherVersion('0.1.0')).toBe(false)
  expect(localStorage.getItem('rmmver')).toBe('0.1.0')
})

test('the same version is none other; a different one is, again and again', () => {
  isOtherVersion('0.1.0')
  expect(isOtherVersion('0.1.0')).toBe(false)
  expect(isOtherVersion('0.2.0')).toBe(true)
  expect(isOtherVersion('0.2.0')).toBe(true)
  expect(localStorage.getItem('rmmver')).toBe('0.1.0')
})
