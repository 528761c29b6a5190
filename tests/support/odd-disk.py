"""A folder mounted as a disk without hard links, or as one that ignores case as well.

odd-disk.py <folder> <mount point> <no-links | no-case>
"""
import errno
import fcntl
import os
import sys

from fusepy import FUSE, FuseOSError, Operations

STAT = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid", "st_ino")


class OddDisk(Operations):
    def __init__(self, root, kind):
        self.root = os.path.realpath(root)
        self.ignores_case = kind == "no-case"

    def real(self, path):
        found = self.root
        for part in filter(None, path.split("/")):
            exact = os.path.join(found, part)
            if self.ignores_case and not os.path.lexists(exact):
                names = os.listdir(found) if os.path.isdir(found) else []
                part = next((name for name in names if name.casefold() == part.casefold()), part)
            found = os.path.join(found, part)
        return found

    def getattr(self, path, fh=None):
        try:
            stats = os.fstat(fh) if fh is not None else os.lstat(self.real(path))
        except OSError as error:
            raise FuseOSError(error.errno)
        return {key: getattr(stats, key) for key in STAT}

    def link(self, target, source):
        raise FuseOSError(errno.EPERM)

    def symlink(self, path, target):
        os.symlink(target, self.real(path))

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mknod(self, path, mode, dev):
        os.mknod(self.real(path), mode, dev)

    def create(self, path, mode, fi=None):
        return os.open(self.real(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(self.real(path), flags & ~os.O_NOFOLLOW)

    def write(self, path, data, offset, fh):
        if fcntl.fcntl(fh, fcntl.F_GETFL) & os.O_APPEND:
            return os.write(fh, data)
        return os.pwrite(fh, data, offset)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def release(self, path, fh):
        os.close(fh)

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.real(path))]

    def rename(self, old, new):
        os.rename(self.real(old), self.real(new))

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path), length)

    def utimens(self, path, times=None):
        os.utime(self.real(path), times)


if __name__ == "__main__":
    folder, mount_point, kind = sys.argv[1:]
    # With hard_remove an open file that is deleted is gone, and not renamed to a hidden one.
    # With direct_io an appended line comes as one call; without, in two where it crosses a page.
    options = dict(
        foreground=True, nothreads=True, attr_timeout=0, entry_timeout=0, use_ino=True, hard_remove=True, direct_io=True
    )
    FUSE(OddDisk(folder, kind), mount_point, **options)
