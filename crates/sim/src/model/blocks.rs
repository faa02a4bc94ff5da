//! The KV cache as blocks: allocation, content hashes, and which free block goes first.
//!
//! As in vLLM, a block that is given back keeps its content until it is needed for something else;
//! a later request with the same beginning takes it out of the free list again. Free blocks are
//! used up in the order in which they were given back, and a sequence gives back its last block
//! first, so that beginnings live longest.

use std::collections::{BTreeMap, HashMap};

use crate::rng::mix;
use crate::tokenizer::TokenId;

/// A block's number; 0 is the reserved one and never handed out.
pub(super) type BlockId = u32;

/// Hash of a full block and, through its parent, of everything before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockHash(u64);

impl BlockHash {
    /// The parent of a sequence's first block. Different salts never share a block.
    pub(super) fn root(salt: u64) -> Self {
        Self(mix(salt ^ 0x006b_762d_726f_6f74))
    }

    /// The hash of a block with these tokens behind this one.
    pub(super) fn then(self, tokens: &[TokenId]) -> Self {
        Self(tokens.iter().fold(mix(self.0), |hash, token| {
            mix(hash.rotate_left(5) ^ u64::from(*token))
        }))
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Block {
    /// Sequences that hold it.
    holders: u32,
    /// Its content, when full and not a copy of a block that is known already.
    hash: Option<BlockHash>,
    /// Its place in the free list while nobody holds it.
    stamp: u64,
}

/// The blocks of one rank.
#[derive(Debug)]
pub(super) struct BlockPool {
    blocks: Vec<Block>,
    /// Stamp of release to block: the first entry is used up first.
    free: BTreeMap<u64, BlockId>,
    known: HashMap<BlockHash, BlockId>,
    next_stamp: u64,
}

impl BlockPool {
    pub(super) fn new(num_blocks: u32) -> Self {
        let mut pool = Self {
            blocks: Vec::new(),
            free: BTreeMap::new(),
            known: HashMap::new(),
            next_stamp: 0,
        };
        for id in 0..num_blocks {
            pool.blocks.push(Block::default());
            if id > 0 {
                pool.set_free(id);
            }
        }
        pool
    }

    /// Blocks that nobody holds, whether they still have content or not.
    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    /// Blocks that sequences can use.
    pub(super) fn usable(&self) -> usize {
        self.blocks.len().saturating_sub(1)
    }

    /// The blocks with the content of the first of `hashes`, as far as they are known.
    pub(super) fn find(&self, hashes: &[BlockHash]) -> Vec<BlockId> {
        hashes
            .iter()
            .map_while(|hash| self.known.get(hash).copied())
            .collect()
    }

    /// How many of these blocks nobody holds: taking them costs a free block each.
    pub(super) fn idle_among(&self, blocks: &[BlockId]) -> usize {
        blocks
            .iter()
            .filter_map(|id| self.get(*id))
            .filter(|block| block.holders == 0)
            .count()
    }

    /// Holds blocks that were found by their content.
    pub(super) fn hold(&mut self, blocks: &[BlockId]) {
        for id in blocks {
            let Some(block) = self.get_mut(*id) else {
                continue;
            };
            block.holders += 1;
            if block.holders == 1 {
                let stamp = block.stamp;
                self.free.remove(&stamp);
            }
        }
    }

    /// Takes `count` blocks for new content and forgets what they held; all or none.
    pub(super) fn take(&mut self, count: usize, into: &mut Vec<BlockId>) -> bool {
        if self.free.len() < count {
            return false;
        }
        for _ in 0..count {
            let Some((_, id)) = self.free.pop_first() else {
                return false;
            };
            let old = self.get_mut(id).and_then(|block| {
                block.holders = 1;
                block.hash.take()
            });
            if let Some(hash) = old {
                self.known.remove(&hash);
            }
            into.push(id);
        }
        true
    }

    /// Makes a full block findable. A second block with known content stays nameless.
    pub(super) fn name(&mut self, id: BlockId, hash: BlockHash) {
        if self.known.contains_key(&hash) {
            return;
        }
        if let Some(block) = self.get_mut(id)
            && block.hash.is_none()
        {
            block.hash = Some(hash);
            self.known.insert(hash, id);
        }
    }

    /// Gives a sequence's blocks back, the last one first.
    pub(super) fn release(&mut self, blocks: &mut Vec<BlockId>) {
        for id in blocks.drain(..).rev() {
            let Some(block) = self.get_mut(id) else {
                continue;
            };
            block.holders = block.holders.saturating_sub(1);
            if block.holders == 0 {
                self.set_free(id);
            }
        }
    }

    fn set_free(&mut self, id: BlockId) {
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        if let Some(block) = self.get_mut(id) {
            block.stamp = stamp;
        }
        self.free.insert(stamp, id);
    }

    fn get(&self, id: BlockId) -> Option<&Block> {
        usize::try_from(id).ok().and_then(|at| self.blocks.get(at))
    }

    fn get_mut(&mut self, id: BlockId) -> Option<&mut Block> {
        usize::try_from(id)
            .ok()
            .and_then(|at| self.blocks.get_mut(at))
    }

    /// Sums of what each block knows of itself, for the tests: (holders over all blocks, blocks
    /// with a holder).
    #[cfg(test)]
    pub(super) fn holders(&self) -> (usize, usize) {
        let holders = self.blocks.iter().map(|b| b.holders).sum::<u32>();
        let held = self.blocks.iter().filter(|b| b.holders > 0).count();
        (usize::try_from(holders).unwrap(), held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(tokens: &[[TokenId; 2]], salt: u64) -> Vec<BlockHash> {
        let mut parent = BlockHash::root(salt);
        tokens
            .iter()
            .map(|block| {
                parent = parent.then(block);
                parent
            })
            .collect()
    }

    #[test]
    fn hashes_cover_everything_before_them_and_the_salt() {
        let one = chain(&[[1, 2], [3, 4]], 0);
        assert_eq!(one, chain(&[[1, 2], [3, 4]], 0));
        assert_ne!(one[1], chain(&[[1, 1], [3, 4]], 0)[1]);
        assert_ne!(one[1], chain(&[[3, 4]], 0)[0]);
        assert_ne!(one[0], chain(&[[1, 2]], 9)[0]);
        assert_ne!(one[0], chain(&[[2, 1]], 0)[0]);
    }

    #[test]
    fn beginnings_live_longest_and_found_blocks_are_safe() {
        let mut pool = BlockPool::new(5);
        let hashes = chain(&[[1, 1], [2, 2], [3, 3]], 0);
        let mut held = Vec::new();
        assert!(pool.take(3, &mut held));
        assert_eq!(held, [1, 2, 3]);
        for (id, hash) in held.iter().zip(&hashes) {
            pool.name(*id, *hash);
        }
        pool.release(&mut held);
        assert_eq!((pool.free(), pool.find(&hashes).len()), (4, 3));

        // Block 4 was never used; then the tail goes before the beginning.
        let mut other = Vec::new();
        assert!(pool.take(2, &mut other));
        assert_eq!(other, [4, 3]);
        assert_eq!(pool.find(&hashes), [1, 2]);

        pool.hold(&[1, 2]);
        assert_eq!(pool.free(), 0);
        assert!(!pool.take(1, &mut other));
        pool.release(&mut vec![1, 2]);
        assert_eq!(pool.idle_among(&[1, 2, 3]), 2);
    }

    #[test]
    fn a_copy_of_known_content_stays_nameless() {
        let mut pool = BlockPool::new(4);
        let hash = chain(&[[1, 1]], 0)[0];
        let mut held = Vec::new();
        assert!(pool.take(2, &mut held));
        pool.name(1, hash);
        pool.name(2, hash);
        assert_eq!(pool.find(&[hash]), [1]);
        pool.release(&mut held);
        // 2 is given back first and holds no name, so using it up leaves the content of 1.
        let mut other = Vec::new();
        assert!(pool.take(2, &mut other));
        assert_eq!(other, [3, 2]);
        assert_eq!(pool.find(&[hash]), [1]);
    }
}
