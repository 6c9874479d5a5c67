// The claims of claims.h as locks of the open file, not of the process: two hosts of one
// process are kept apart, too, and a descriptor that is closed elsewhere takes none of them
// away.
#include "io/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/files.h"

int peri_claims_open(peri_claims *claims, const char *path, bool only_ask) {
    int how = only_ask ? O_RDONLY : O_RDWR | O_CREAT;
    claims->fd = open(path, how | O_CLOEXEC | O_NOFOLLOW, 0600);
    return claims->fd < 0 ? peri_status_of_errno(errno) : PERI_OK;
}

void peri_claims_close(peri_claims *claims) {
    if (claims->fd >= 0) close(claims->fd);
    claims->fd = -1;
}

static struct flock byte_at(uint64_t place) {
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(place >> 2), .l_len = 1};
}

int peri_claims_take(peri_claims *claims, uint64_t place) {
    struct flock lock = byte_at(place);
    if (claims->fd < 0) return PERI_EIO;
    if (fcntl(claims->fd, F_OFD_SETLK, &lock) == 0) return PERI_OK;
    return errno == EAGAIN || errno == EACCES ? PERI_EDENIED : PERI_EIO;
}

bool peri_claims_is_held(const peri_claims *claims, uint64_t place) {
    struct flock lock = byte_at(place);
    return claims->fd >= 0 && fcntl(claims->fd, F_OFD_GETLK, &lock) == 0 &&
           lock.l_type != F_UNLCK;
}
