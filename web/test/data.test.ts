import { describe, expect, it } from 'vitest';
import { kExamples, make } from '../fixtures/make';
import { checkData, DataError, parseData } from '../src/data';

const small = () => make({ ...kExamples.plain!, graphs: 2, details: 1 });

/** The message for data in which one thing was changed. */
function complaint(change: (data: ReturnType<typeof small>) => void): string {
  const data = small();
  change(data);
  try {
    checkData(data);
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return (error as Error).message;
  }
  return 'nothing to complain about';
}

describe('data', () => {
  it('of every example passes, and stays what it was', () => {
    for (const recipe of Object.values(kExamples)) {
      const json = JSON.stringify(make({ ...recipe, graphs: Math.min(recipe.graphs, 3), details: 1 }));
      expect(parseData(json)).toEqual(JSON.parse(json));
    }
  });

  it('that is no JSON, no object, or of another version is named', () => {
    expect(() => parseData('{"version": 1')).toThrow('no JSON');
    expect(() => parseData('[]')).toThrow('the data: expected an object, found a list of 0');
    expect(() => parseData('{"version": 2}')).toThrow('reads version 1, the data is of version 2');
  });

  it('with a wrong field says where, what was expected and what stands there', () => {
    expect(complaint((data) => (data.graphs[1]!.mean = [1]))).toBe(
      'graphs[1].mean: expected a list of 2, found a list of 1',
    );
    expect(complaint((data) => (data.graphs[0]!.detail = 7))).toBe(
      'graphs[0].detail: expected a whole number from 0 to 0, found 7',
    );
    expect(complaint((data) => (data.graphs[0]!.target = [2]))).toBe(
      'graphs[0].target[0]: expected a whole number from 0 to 1, found 2',
    );
    expect(complaint((data) => ((data as { task: string }).task = 'ranking'))).toContain('found "ranking"');
    expect(complaint((data) => ((data.model as { file: unknown }).file = null))).toBe(
      'model.file: expected a text, found null',
    );
  });

  it('with walks that leave the graph or stop early is refused', () => {
    const agent = (data: ReturnType<typeof small>) => data.details[0]!.rollouts[0]!.agents[0]!;
    expect(complaint((data) => (agent(data).path[3] = 1000))).toContain('details[0].rollouts[0].agents[0].path[3]');
    expect(complaint((data) => agent(data).path.pop())).toContain(
      'agents[0].path: expected a list of 13, found a list of 12',
    );
    expect(complaint((data) => agent(data).moves[0]!.p.pop())).toContain('moves[0].p');
    expect(complaint((data) => (data.details[0]!.edges[0] = [0, -1]))).toContain('details[0].edges[0][1]');
    expect(complaint((data) => data.details[0]!.visits.pop())).toContain('details[0].visits');
  });

  it('may leave out what is optional', () => {
    expect(complaint((data) => delete (data as Partial<typeof data>).training)).toBe('nothing to complain about');
    expect(complaint((data) => (data.graphs[0]!.target = [null]))).toBe('nothing to complain about');
  });
});
